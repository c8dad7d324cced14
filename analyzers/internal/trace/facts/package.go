package facts

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/analyzers/internal/trace/summary"
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
	case own == nil:
		return "nothing"
	case own.reach != nil:
		return own.reach.String()
	}
	return new(summary.Helps).String()
}

// Paths are the paths of the packages of which something is known: of all that were
// traced, of those on which the package depends.
func (p *Package) Paths() []string { return slices.Sorted(maps.Keys(p.known)) }

// Objects calls f with each fact of an object of the package itself, in the
// process that made it.
func (p *Package) Objects(f func(types.Object, analysis.Fact)) {
	own := p.known[p.path]
	for _, part := range []*part{own.top, own.members} {
		for obj, r := range part.made {
			if r.Summary != nil {
				f(obj, r.Summary)
			}
			if r.Variable != nil {
				f(obj, r.Variable)
			}
		}
	}
}

// An entry is what is known of one package.
type entry struct {
	helps bool
	reach *summary.Reach // nil where the package cannot reach Bigtable
	top   *part          // facts of functions and variables
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

// A wireEntry is an entry as it is written.
type wireEntry struct {
	Path         string
	Helps        bool
	Reaches      bool
	Reach        *summary.Reach // nil where there is nothing in it
	Top, Members []byte
}

type wirePackage struct {
	Path    string
	Entries []wireEntry
}

// GobEncode writes the fact. Equal facts are written in the same bytes, by which
// drivers decide what is to be analysed again.
func (p *Package) GobEncode() ([]byte, error) {
	w := wirePackage{Path: p.path}
	for _, path := range slices.Sorted(maps.Keys(p.known)) {
		e := p.known[path]
		we := wireEntry{Path: path, Helps: e.helps, Reaches: e.reach != nil}
		if r := e.reach; r != nil && len(r.Declared)+len(r.Shown)+len(r.CellTimes) > 0 {
			we.Reach = r
		}
		var err error
		if we.Top, err = e.top.bytes(); err != nil {
			return nil, err
		}
		if we.Members, err = e.members.bytes(); err != nil {
			return nil, err
		}
		w.Entries = append(w.Entries, we)
	}
	var buf bytes.Buffer
	err := gob.NewEncoder(&buf).Encode(w)
	return buf.Bytes(), err
}

// GobDecode reads the fact, up to those of objects.
func (p *Package) GobDecode(data []byte) error {
	var w wirePackage
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&w); err != nil {
		return fmt.Errorf("the facts of a package: %w", err)
	}
	p.path, p.known = w.Path, map[string]*entry{}
	for _, we := range w.Entries {
		e := &entry{helps: we.Helps, top: &part{data: we.Top}, members: &part{data: we.Members}}
		if we.Reaches {
			if e.reach = we.Reach; e.reach == nil {
				e.reach = new(summary.Reach)
			}
		}
		p.known[we.Path] = e
	}
	return nil
}
