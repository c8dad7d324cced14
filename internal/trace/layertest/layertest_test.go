package layertest_test

import (
	"go/types"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/ttlvet/ttlvet/internal/trace/layertest"
)

// TestStubs holds the stubs of the standard library against the real one: what
// they have is there, of the same type.
func TestStubs(t *testing.T) {
	stubs, err := layertest.Stubs()
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for path := range stubs {
		if path != layertest.Client {
			paths = append(paths, path)
		}
	}
	real, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedTypes | packages.NeedImports}, paths...)
	if err != nil || packages.PrintErrors(real) > 0 {
		t.Fatal(err)
	}
	text := func(t types.Type) string { return types.TypeString(t, (*types.Package).Path) }
	for _, pkg := range real {
		scope := stubs[pkg.PkgPath].Scope()
		for _, name := range scope.Names() {
			obj, of := scope.Lookup(name), pkg.Types.Scope().Lookup(name)
			if of == nil || text(obj.Type()) != text(of.Type()) {
				t.Errorf("%s is no more than a stub's: %v", obj, of)
				continue
			}
			named, ok := obj.Type().(*types.Named)
			if !ok {
				continue
			}
			for m := range named.Methods() {
				real, _, _ := types.LookupFieldOrMethod(types.NewPointer(of.Type()), true, pkg.Types, m.Name())
				if real == nil || text(real.Type()) != text(m.Type()) {
					t.Errorf("%s is no more than a stub's: %v", m, real)
				}
			}
		}
	}
}

// TestLoad is what a test of a layer does.
func TestLoad(t *testing.T) {
	code := layertest.Load(t, `
-- dep/dep.go --
const Family = "token"
-- p/p.go --
type store struct{}
func (s *store) read() {
	func() {
		show(dep.Family) // a constant
	}()
}
func f(s *store) { s.read() }
`)
	if s := code.Show(); s.Line != 4 || s.Want != "a constant" || s.Call.Parent() != code.Func("store.read$1") {
		t.Errorf("shown in line %d, %q in %s", s.Line, s.Want, layertest.NameOf(s.Call.Parent()))
	}
	if call := code.Call("f", "read"); layertest.CalleeOf(call) != "read" || code.Comment(call) != "" {
		t.Errorf("f calls %s", call)
	}
}
