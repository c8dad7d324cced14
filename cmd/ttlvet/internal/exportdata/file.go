package exportdata

import (
	"encoding/binary"
	"fmt"
	"go/types"
	"io"
	"os"
	"strconv"
	"strings"
)

// Sections of a file, and the index of its element that lists the package's
// objects.
const (
	sectionString = iota
	sectionMeta
	sectionPosBase
	sectionPkg
	sectionName
	sectionType
	sectionObj
	sectionObjExt
	sectionObjDict
	sectionBody
	numSections

	publicRoot = 0
)

const (
	// oldest is the oldest version of the format that is known: that of Go 1.26.
	oldest = 2
	// genericMethods is the version, that of Go 1.27, in which methods may have type
	// parameters.
	genericMethods = 4
	// methodOrder is the version, that of Go 1.27.4, which says how methods with and
	// without type parameters follow one another.
	methodOrder = 5
	// noFlags is the word of flags: no markers for debugging.
	noFlags = 0
)

// A file is the export data of a package: elements in sections, each a list of
// references to others and a string of bits.
type file struct {
	imp     *Importer
	path    string
	version uint32

	sections [numSections]uint32 // the number of elements in and before a section
	ends     string              // where each element ends, in four bytes
	data     string              // of the elements

	// What was made of elements, by their index in their section.
	pkgs  []*types.Package
	types []types.Type
	objs  []types.Object
}

// open reads the export data of the package out of the compiler's output.
func (imp *Importer) open(path, name string) (*file, error) {
	data, err := readExportData(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	const header = 4 + 4 + 4*numSections
	if len(data) < header || uint32At(data, 0) < oldest || uint32At(data, 0) > newest || uint32At(data, 4) != noFlags {
		return nil, fmt.Errorf("%s: another version", name)
	}
	f := &file{imp: imp, path: path, version: uint32At(data, 0)}
	for i := range f.sections {
		f.sections[i] = uint32At(data, 8+4*i)
		if i > 0 && f.sections[i] < f.sections[i-1] {
			return nil, fmt.Errorf("%s: sections out of order", name)
		}
	}
	n := int(f.sections[numSections-1])
	if len(data) < header+4*n {
		return nil, fmt.Errorf("%s: too short", name)
	}
	f.ends, f.data = data[header:header+4*n], data[header+4*n:]
	f.pkgs = make([]*types.Package, f.count(sectionPkg))
	f.types = make([]types.Type, f.count(sectionType))
	f.objs = make([]types.Object, f.count(sectionObj))
	return f, nil
}

// readExportData returns what stands between the marks $$B and $$ in the first
// member of an archive.
func readExportData(name string) (string, error) {
	in, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer in.Close()
	const magic, header = "!<arch>\n__.PKGDEF ", 8 + 60
	var head [header]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return "", err
	}
	size, err := strconv.Atoi(strings.TrimSpace(string(head[8+48 : 8+58])))
	if err != nil || !strings.HasPrefix(string(head[:]), magic) {
		return "", fmt.Errorf("not a package")
	}
	if info, err := in.Stat(); err != nil || size < 0 || info.Size() < int64(header+size) {
		return "", fmt.Errorf("cut off")
	}
	all, err := contents(in, header+size)
	if err != nil {
		return "", err
	}
	_, data, ok := strings.Cut(all, "\n$$B\nu")
	if !ok {
		return "", fmt.Errorf("another format")
	}
	return data, nil
}

func uint32At(s string, at int) uint32 {
	return uint32(s[at]) | uint32(s[at+1])<<8 | uint32(s[at+2])<<16 | uint32(s[at+3])<<24
}

func (f *file) count(section int) int {
	if section == 0 {
		return int(f.sections[0])
	}
	return int(f.sections[section] - f.sections[section-1])
}

// bytes returns an element's bytes.
func (f *file) bytes(section, index int) string {
	if section > 0 {
		index += int(f.sections[section-1])
	}
	if index >= int(f.sections[section]) {
		panic("an element out of bounds")
	}
	start := uint32(0)
	if index > 0 {
		start = uint32At(f.ends, 4*(index-1))
	}
	return f.data[start:uint32At(f.ends, 4*index)]
}

// An element is one that is being read.
type element struct {
	*file
	rest string
	refs []int // the elements that it refers to; their sections are known from where they stand
	dict *dict // of the object to which it belongs
}

// element begins to read an element. It ends with done.
func (f *file) element(section, index int, d *dict) element {
	e := element{file: f, rest: f.bytes(section, index), dict: d}
	n := e.some()
	at := len(f.imp.refs)
	for range n {
		e.uint() // the section
		f.imp.refs = append(f.imp.refs, e.len())
	}
	e.refs = f.imp.refs[at : at+n : at+n]
	return e
}

// done frees the element's references. Elements are done in the reverse order of
// that in which they were begun.
func (e *element) done() { e.imp.refs = e.imp.refs[:len(e.imp.refs)-len(e.refs)] }

func (e *element) uint() uint64 {
	if len(e.rest) > 0 && e.rest[0] < 0x80 { // nearly always
		x := e.rest[0]
		e.rest = e.rest[1:]
		return uint64(x)
	}
	return e.longUint()
}

func (e *element) longUint() uint64 {
	var x uint64
	for i := 0; i < len(e.rest) && i < binary.MaxVarintLen64; i++ {
		b := e.rest[i]
		x |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			e.rest = e.rest[i+1:]
			return x
		}
	}
	panic("a number without end")
}

func (e *element) int() int64 {
	u := e.uint()
	return int64(u>>1) ^ -int64(u&1)
}

func (e *element) len() int { return int(e.uint()) }

// some reads a number of things that follow.
func (e *element) some() int {
	n := e.len()
	if n > len(e.rest) {
		panic("more than there is")
	}
	return n
}

func (e *element) bool() bool {
	b := e.rest[0]
	e.rest = e.rest[1:]
	if b > 1 {
		panic("not a bool")
	}
	return b != 0
}

// ref returns the index of an element that this one refers to.
func (e *element) ref() int { return e.refs[e.len()] }

func (e *element) string() string { return e.bytes(sectionString, e.ref()) }
