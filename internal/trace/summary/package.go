package summary

import (
	"bytes"
	"encoding/binary"
	"errors"
	"go/types"
	"hash/crc32"
	"maps"
	"reflect"
	"slices"

	"golang.org/x/tools/go/analysis"
)

// Package is the fact of a package: what is known of it and its objects, and
// of the members of the types of packages on which it depends.
type Package struct {
	path  string
	known map[string]*entry // by package path; its own among them
}

// AFact marks Package as a fact.
func (*Package) AFact() {}

func (p *Package) String() string {
	own := p.known[p.path]
	switch {
	case own == nil || own.reach == nil && !own.helps:
		return "nothing"
	case own.reach != nil:
		return own.reach.String()
	}
	return new(Helps).String()
}

// Objects calls f with each fact of an object of the package itself, in the
// process that made it.
func (p *Package) Objects(f func(types.Object, analysis.Fact)) {
	own := p.known[p.path]
	for _, part := range []*part{own.top, own.members} {
		for obj, s := range part.made {
			f(obj, s)
		}
	}
}

// An entry is what is known of one package.
type entry struct {
	helps bool
	reach *Reach // nil where the package cannot reach Bigtable
	top   *part  // facts of functions and variables
	// members are the facts of methods and fields, which reach other packages
	// with values of the types and without an import.
	members *part
}

func newEntry() *entry { return &entry{top: new(part), members: new(part)} }

// handedOn returns what importers of importers learn of a package.
func (e *entry) handedOn() *entry {
	if e.reach == nil && !e.helps && e.top.empty() {
		return e
	}
	return &entry{top: new(part), members: e.members}
}

// part returns the part in which an object is.
func (e *entry) part(obj types.Object) *part {
	if obj.Parent() != nil && obj.Parent() == obj.Pkg().Scope() {
		return e.top
	}
	return e.members
}

// What an entry says of its package itself.
const (
	helps   = 1 << iota
	reaches // and declares and shows nothing
	declares
)

// layout is the version of what follows it in a fact, and changes with it.
const layout = "ttlvet facts 2\n"

// seal puts the layout and a checksum before a fact: bytes that were changed or lost
// mostly are a fact too, another one.
func seal(out []byte) []byte {
	return append(binary.BigEndian.AppendUint32([]byte(layout), crc32.ChecksumIEEE(out)), out...)
}

// unseal returns what was sealed.
func unseal(data []byte) ([]byte, error) {
	rest, ok := bytes.CutPrefix(data, []byte(layout))
	switch {
	case !ok:
		return nil, errors.New("facts of no layout that is known")
	case len(rest) < 4 || binary.BigEndian.Uint32(rest) != crc32.ChecksumIEEE(rest[4:]):
		return nil, errMalformed
	}
	return rest[4:], nil
}

// GobEncode writes the fact. Equal facts are written in the same bytes, by which
// drivers decide what is to be analysed again. What was read of other packages is
// handed on as it was.
func (p *Package) GobEncode() ([]byte, error) {
	out := appendText(nil, p.path)
	for _, path := range slices.Sorted(maps.Keys(p.known)) {
		e := p.known[path]
		said, reach := byte(0), []byte(nil)
		if e.helps {
			said |= helps
		}
		if e.reach != nil {
			said |= reaches
			if len(e.reach.Declared)+len(e.reach.Shown)+len(e.reach.CellTimes) > 0 {
				said |= declares
				w := newWriter()
				w.put(reflect.ValueOf(e.reach).Elem())
				reach = w.encoded()
			}
		}
		out = append(appendText(out, path), said)
		out = appendText(out, reach)
		out = appendText(out, e.top.bytes())
		out = appendText(out, e.members.bytes())
	}
	return seal(out), nil
}

// GobDecode reads the fact, up to those of objects.
func (p *Package) GobDecode(data []byte) (err error) {
	defer malformed(&err)
	if data, err = unseal(data); err != nil {
		return err
	}
	r := &reader{data: bytes.Clone(data)} // data is the decoder's
	p.path, p.known = string(r.bytes()), map[string]*entry{}
	for len(r.data) > 0 {
		path, said, reach := string(r.bytes()), r.byte(), r.bytes()
		e := &entry{helps: said&helps != 0, top: &part{data: r.bytes()}, members: &part{data: r.bytes()}}
		if said&reaches != 0 {
			e.reach = new(Reach)
		}
		if said&declares != 0 {
			newReader(reach).take(reflect.ValueOf(e.reach).Elem())
		}
		p.known[path] = e
	}
	return nil
}

// appendText appends a text and, before it, its length.
func appendText[T string | []byte](out []byte, text T) []byte {
	return append(binary.AppendUvarint(out, uint64(len(text))), text...)
}
