// Package declare puts together what is declared of tables and column
// families: the registry file, Go declarations and what policies show.
package declare

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"time"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/internal/gcpolicy"
	"github.com/ttlvet/ttlvet/internal/place"
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/schema"
	"github.com/ttlvet/ttlvet/internal/trace"
)

// Analyzer finds the declarations that hold for a package. Its result is a
// *[Result].
var Analyzer = &analysis.Analyzer{
	Name:       "ttlvetdeclare",
	Doc:        "find the declared tables and column families; reports nothing by itself",
	URL:        "https://github.com/ttlvet/ttlvet/blob/main/docs/registry.md",
	Run:        run,
	Requires:   []*analysis.Analyzer{trace.Analyzer},
	ResultType: reflect.TypeFor[*Result](),
}

// A Result is what is declared.
type Result struct {
	Model *registry.Model
	File  *registry.File // the registry file, nil if there is none
	Path  string         // its path
	Err   error          // what is wrong with it; the model is empty then
	// Conflicts are the places where Go and the file contradict each other.
	Conflicts []Conflict
	// Misnamed says which handles and wrappers of the file name something of
	// the package that is not there or cannot be meant.
	Misnamed registry.Errors

	given []given // the policies that families are given, in Go and outside
}

// A Conflict is a contradiction between two declarations of a family.
type Conflict struct {
	Declared trace.Declared
	Message  string
}

// Declares reports whether a table is declared, and not only inferred.
func (r *Result) Declares() bool {
	return slices.ContainsFunc(r.Model.Tables, func(t *registry.Table) bool { return t.Source != registry.FromGuess })
}

func run(pass *analysis.Pass) (any, error) {
	r := &Result{Model: &registry.Model{}}
	tr := pass.ResultOf[trace.Analyzer].(*trace.Result)
	if !tr.Reaches {
		return r, nil
	}
	if r.Path = find(pass); r.Path != "" {
		if r.File, r.Err = registry.Load(r.Path); r.Err != nil {
			r.File = nil
			return r, nil
		}
		for _, t := range r.File.Tables {
			r.Model.Tables = append(r.Model.Tables, clone(t))
		}
		if pass.Pkg != nil {
			r.Misnamed = misnames(pass.Pkg, r.File)
			nameConstants(r.Model, pass.Pkg)
		}
	}
	for _, d := range tr.Declared {
		r.addDeclared(d)
	}
	r.addShown(tr.Shown)
	r.AddSchema(schema.Load(r.File))
	return r, nil
}

// File returns the registry file that governs the package, whether or not it
// reaches Bigtable; nil if there is none, or none that can be used.
func File(pass *analysis.Pass) *registry.File {
	path := find(pass)
	if path == "" {
		return nil
	}
	f, err := registry.Load(path)
	if err != nil {
		return nil
	}
	return f
}

// find returns the registry file of the package's module. Generated files
// may lie elsewhere, so each file of the package is asked; those that cgo
// made, which lie in the build cache, name the file that they were made from.
func find(pass *analysis.Pass) string {
	for _, f := range pass.Files {
		for _, adjusted := range []bool{false, true} {
			name := pass.Fset.PositionFor(f.Package, adjusted).Filename
			if !filepath.IsAbs(name) {
				continue
			}
			if path := registry.Find(filepath.Dir(name)); path != "" {
				return path
			}
		}
	}
	return ""
}

func clone(t *registry.Table) *registry.Table {
	c := *t
	c.Families = append([]*registry.Family(nil), t.Families...)
	return &c
}

// table returns the table of that pattern in the model, or nil.
func (r *Result) table(pattern string) *registry.Table {
	for _, t := range r.Model.Tables {
		if t.Pattern == pattern {
			return t
		}
	}
	return nil
}

// addDeclared adds a declaration made with the runtime package.
func (r *Result) addDeclared(d trace.Declared) {
	t := registry.TableOf(d.Table)
	if t == nil {
		return
	}
	for _, f := range t.Families {
		f.Evidence = d.Where
	}
	have := r.table(t.Pattern)
	if have == nil {
		// A pattern of the file may cover it: what that says and this does
		// not holds too.
		have, _ = r.Model.Table(registry.Ref{Name: t.Pattern})
		own := &registry.Table{Pattern: t.Pattern, Source: registry.FromGo}
		if have != nil {
			own.Families = append(own.Families, have.Families...)
			own.Handles = have.Handles
		}
		have = own
		r.Model.Tables = append(r.Model.Tables, own)
	}
	for _, f := range t.Families {
		g := have.Family(f.Name)
		switch {
		case g == nil:
			have.Families = append(have.Families, f)
		case !compatible(f, g):
			r.Conflicts = append(r.Conflicts, Conflict{d, fmt.Sprintf(
				"family %q of table %q is declared as %s here and as %s in %s: readers and writers will not agree; make them the same",
				f.Name, t.Pattern, describe(f), describe(g), origin(g))})
		}
	}
}

// compatible reports whether two declarations of a family agree, where both
// say something.
func compatible(f, g *registry.Family) bool {
	return f.Strategy == g.Strategy &&
		(f.TTL == g.TTL || f.TTL == 0 || g.TTL == 0) &&
		(f.Versions == g.Versions || f.Versions == 0 || g.Versions == 0) &&
		(f.MaxAge == g.MaxAge || f.MaxAge == 0 || g.MaxAge == 0)
}

func describe(f *registry.Family) string {
	s := string(f.Strategy)
	if f.TTL > 0 {
		s += " with ttl " + registry.FormatDuration(f.TTL)
	}
	if f.Versions > 0 {
		s += fmt.Sprintf(" with %d versions", f.Versions)
	}
	return s
}

func origin(f *registry.Family) string {
	if f.Pos.File != "" {
		return fmt.Sprintf("%s:%d", place.File(f.Pos.File), f.Pos.Line)
	}
	return f.Evidence
}

// ageOf returns the age at which a one-second policy collects.
func ageOf(p *gcpolicy.Policy) (age time.Duration) {
	p.Walk(func(q *gcpolicy.Policy, _ bool) {
		if q.Op == gcpolicy.MaxAge && q.AgeKnown {
			age = q.Age
		}
	})
	return age
}
