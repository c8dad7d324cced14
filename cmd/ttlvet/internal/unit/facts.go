package unit

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"go/types"
	"os"
	"reflect"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/early"
)

// facts are the facts of packages: what ttlvet knows of objects is in those (see
// package facts of tracing).
type facts struct {
	unit   *unit
	known  map[string][]record // by package path
	own    []record
	wanted bool // whether somebody may import the own ones
}

// A record is a fact as golang.org/x/tools writes it into the file of a unit.
type record struct {
	PkgPath string
	Object  string
	Fact    analysis.Fact
}

func newFacts(u *unit, list []*analysis.Analyzer) (*facts, error) {
	seen := map[*analysis.Analyzer]bool{}
	var register func(a *analysis.Analyzer)
	register = func(a *analysis.Analyzer) {
		if seen[a] {
			return
		}
		seen[a] = true
		for _, fact := range a.FactTypes {
			gob.Register(fact)
		}
		for _, r := range a.Requires {
			register(r)
		}
	}
	for _, a := range list {
		register(a)
	}
	f := &facts{unit: u, known: map[string][]record{}, wanted: !u.last()}
	for path, file := range u.PackageVetx {
		if err := f.read(path, file); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// serve lets a pass import and export facts.
func (f *facts) serve(pass *analysis.Pass) {
	pass.ImportPackageFact = f.importFact
	if f.wanted {
		pass.ExportPackageFact = func(fact analysis.Fact) { f.own = append(f.own, record{PkgPath: f.unit.ImportPath, Fact: fact}) }
	}
	pass.AllPackageFacts = func() []analysis.PackageFact { panic("all facts of packages") }
	pass.ImportObjectFact = func(types.Object, analysis.Fact) bool { return false }
	pass.ExportObjectFact = func(obj types.Object, fact analysis.Fact) { panic(fmt.Sprintf("a fact of %s: %v", obj, fact)) }
	pass.AllObjectFacts = func() []analysis.ObjectFact { return nil }
}

// importFact reads a fact of a package that the unit imports.
func (f *facts) importFact(pkg *types.Package, fact analysis.Fact) bool {
	path := pkg.Path()
	for _, r := range f.known[path] {
		if r.PkgPath == path && r.Object == "" && reflect.TypeOf(r.Fact) == reflect.TypeOf(fact) {
			reflect.ValueOf(fact).Elem().Set(reflect.ValueOf(r.Fact).Elem())
			return true
		}
	}
	return false
}

// read reads the facts of a package.
func (f *facts) read(path, file string) error {
	data, err := os.ReadFile(file)
	if err != nil || string(data) == early.NoFacts {
		return err
	}
	var records []record
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&records); err != nil {
		return damaged(path, err)
	}
	f.known[path] = records
	return nil
}

// damaged is the error of facts that cannot be read: a package whose facts are lost
// looks like one that does nothing.
func damaged(path string, err error) error {
	return fmt.Errorf("the facts of %s are damaged (%w): go clean -cache removes them", path, err)
}

// write writes the unit's own facts.
func (f *facts) write() error {
	if len(f.own) == 0 {
		return os.WriteFile(f.unit.VetxOutput, []byte(early.NoFacts), 0o666)
	}
	var buf bytes.Buffer
	if err := gob.NewEncoder(&buf).Encode(f.own); err != nil {
		return fmt.Errorf("the facts of %s: %w", f.unit.ImportPath, err)
	}
	return os.WriteFile(f.unit.VetxOutput, buf.Bytes(), 0o666)
}
