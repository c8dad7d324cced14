package evidence

import (
	"bytes"
	"strings"

	"github.com/ttlvet/ttlvet/internal/input"
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

// headSize is how much of a file tells what it is.
const headSize = 4096

// Head returns the beginning of a file.
func Head(path string) ([]byte, error) { return input.Beginning(path, headSize) }

// Binary reports whether bytes are not text.
func Binary(head []byte) bool { return bytes.IndexByte(head, 0) >= 0 }

// ReadFile returns the content of a file that people write, or records in s why not. It
// is to be asked for all files of one kind, which have a limit together.
func (s *Schema) ReadFile(path string) ([]byte, bool) {
	data, err := input.Read(path, input.Source)
	marks := 0
	if err == nil {
		if marks, err = input.Marks(data); err == nil {
			err = input.Levels(data)
		}
	}
	return s.noted(path, data, err, marks, limits{input.Together, input.MarksTogether, "lines, brackets and other marks"})
}

// ReadPlan is ReadFile of a plan or a state.
func (s *Schema) ReadPlan(path string) ([]byte, bool) {
	data, err := input.Read(path, input.Plan)
	values := 0
	if err == nil {
		values, err = input.Values(data)
	}
	return s.noted(path, data, err, values, limits{input.TogetherPlans, input.ValuesTogether, "values"})
}

// limits are what files of one kind may have together, in bytes and in parts.
type limits struct {
	bytes, parts int
	named        string // the parts
}

func (s *Schema) noted(path string, data []byte, err error, parts int, most limits) ([]byte, bool) {
	if err != nil {
		s.Unreadable(path, err)
		return nil, false
	}
	s.size += len(data)
	s.parts += parts
	switch {
	case s.size > most.bytes:
		s.Fail(At(path, 1, 1), "the files before it have most of the %d MB that are read of all of them", most.bytes>>20)
		return nil, false
	case s.parts > most.parts:
		s.Fail(At(path, 1, 1), "the files before it have most of the %d %s that are read of all of them", most.parts, most.named)
		return nil, false
	}
	s.Files = append(s.Files, path)
	return data, true
}

// Unreadable records why a file is not read.
func (s *Schema) Unreadable(path string, err error) {
	if large, ok := err.(input.TooLarge); ok {
		s.Fail(At(path, 1, 1), "%s", strings.TrimPrefix(large.Error(), "it "))
		return
	}
	s.Fail(At(path, 1, 1), "cannot be read: %s", input.Reason(err))
}
