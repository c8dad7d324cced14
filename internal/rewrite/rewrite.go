// Package rewrite changes programs without changing what they do, to hold the
// analyzers to this: what they find may not change either.
//
// Most transformations carry values on their way to the client: at every call of
// the client, timestamps, families' names, filters, options, tables and mutations
// go through a helper that returns what it is given, by one mechanism of the
// language: a field, a channel, a deferred function. The helpers stand in files of
// their own, and calls of them in the lines where the values stood, so that lines
// stay what they are. Three more change whole files: other names, another order,
// more files.
//
//	table.go   the mechanisms, as data
//	carry.go   what is carried, and where
//	whole.go   names, order and files
//	measure.go which findings appear and which are lost
//
// What one transformation does to one module, and the module rewritten, to look
// at:
//
//	go run ./internal/rewrite/cmd/rewrite -t channel -kinds timestamp -o out testdata/blind/idp
package rewrite

import (
	"os"
	"sort"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/ttlvet/ttlvet/internal/sources"
)

// A Transformation rewrites programs to others that do the same.
type Transformation struct {
	Name string

	// Of those that carry values: the declarations that each package gets for
	// each kind of value, and what stands in an expression's place, in which %x
	// is the expression. In both, %T is the type and %N the kind's name.
	Helper, Call string
	Imports      []string
	Package      string // of the module, in which the helpers stand; by default that of the expression

	// Of the others: the texts of a package's files.
	whole func(*sources.Program, *packages.Package) (map[string]string, error)
	Moves bool // lines stand elsewhere
}

// A Rewriting is another text of a program.
type Rewriting struct {
	Texts map[string]string // by file name; "" where there is no such file any more
	Lines map[Line]bool     // those with an expression that is carried
	Spans []Span            // of those expressions, with the beginning of their calls
}

// A Span is lines of a file.
type Span struct {
	File     string
	From, To int
}

// A Line is a place in a file.
type Line struct {
	File string
	Line int
}

// Apply rewrites the packages of a program. Only values of the named kinds are
// carried, or all if none is named.
func (t *Transformation) Apply(p *sources.Program, kinds ...string) (*Rewriting, error) {
	if t.whole == nil {
		return t.carry(p, kinds)
	}
	r := &Rewriting{Texts: map[string]string{}}
	for _, q := range p.Packages {
		texts, err := t.whole(p, q)
		if err != nil {
			return nil, err
		}
		for name, text := range texts {
			r.Texts[name] = text
		}
	}
	return r, nil
}

// An edit puts a text in the place of what stands between two offsets.
type edit struct {
	from, to int
	text     string
}

// apply returns the text after edits that do not overlap. Of several at one
// offset, the first comes first.
func apply(src string, edits []edit) string {
	sort.SliceStable(edits, func(i, j int) bool { return edits[i].from < edits[j].from })
	var out strings.Builder
	at := 0
	for _, e := range edits {
		out.WriteString(src[at:e.from] + e.text)
		at = e.to
	}
	return out.String() + src[at:]
}

func read(name string) (string, error) {
	text, err := os.ReadFile(name)
	return string(text), err
}
