package evidence

import (
	"bytes"
	"errors"
	"io"
	"os"
)

// A Reader reads one kind of source. Adding a source takes a package with
// one and a row in the table of package schema.
type Reader struct {
	Name string
	// Claims reports whether a file looks like one of the reader's, by its
	// path and its first bytes.
	Claims func(path string, head []byte) bool
	// Found reports whether files of the reader's kind are read without
	// being named, when they say something of Bigtable. Nil means yes.
	Found func(path string, data []byte) bool
	// Read reads the files, each of which the reader claims. What it reads
	// besides (variables, modules) it adds to the schema's Files.
	Read func(in *Input) *Schema
}

// Input is what a reader is given.
type Input struct {
	Paths []string
	// VarFiles are files of Terraform variables, which overrule those that
	// Terraform loads by itself.
	VarFiles []string
}

// MaxSize is the size of the largest file that is read. Schemas are written
// by people; what is larger is data. Plans and states, which programs write of
// everything that an organisation has, may be larger.
const (
	MaxSize = 8 << 20
	MaxPlan = 256 << 20
)

// headSize is how much of a file tells what it is.
const headSize = 4096

// errIrregular is of what is neither file nor directory: to read a pipe may
// wait for ever.
var errIrregular = errors.New("it is no regular file")

// Head returns the beginning of a file.
func Head(path string) ([]byte, error) { return Beginning(path, headSize) }

// Beginning returns at most the first size bytes of a file.
func Beginning(path string, size int) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errIrregular
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, min(int64(size), info.Size()+1))
	n, err := io.ReadFull(f, head)
	if err == io.ErrUnexpectedEOF || err == io.EOF {
		err = nil
	}
	return head[:n], err
}

// Binary reports whether bytes are not text.
func Binary(head []byte) bool { return bytes.IndexByte(head, 0) >= 0 }

// ReadFile returns the content of a file, or records in s why not.
func (s *Schema) ReadFile(path string) ([]byte, bool) { return s.ReadLarge(path, MaxSize) }

// ReadLarge is ReadFile with another limit of size.
func (s *Schema) ReadLarge(path string, limit int) ([]byte, bool) {
	data, err := Beginning(path, limit+1)
	switch {
	case err != nil:
		s.Fail(At(path, 1, 1), "cannot be read: %s", Reason(err))
		return nil, false
	case len(data) > limit:
		s.Fail(At(path, 1, 1), "is larger than the %d MB that are read of such a file", limit>>20)
		return nil, false
	}
	s.Files = append(s.Files, path)
	return data, true
}

// Reason words an error of the file system without the path, which stands
// before it.
func Reason(err error) string {
	if p, ok := err.(*os.PathError); ok {
		return p.Err.Error()
	}
	return err.Error()
}
