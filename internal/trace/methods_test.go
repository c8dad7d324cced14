package trace_test

import (
	"go/types"
	"testing"

	"golang.org/x/tools/go/packages"
)

// maxMethods bounds the method set of a type of tracing, those that embedding promotes
// counted too: who reads a call must be able to tell what it is a method of.
const maxMethods = 60

func TestMethodSets(t *testing.T) {
	if testing.Short() {
		t.Skip("loads all of tracing")
	}
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	for _, pkg := range pkgs {
		for _, name := range pkg.Types.Scope().Names() {
			obj, ok := pkg.Types.Scope().Lookup(name).(*types.TypeName)
			if !ok || types.IsInterface(obj.Type()) {
				continue
			}
			if n := types.NewMethodSet(types.NewPointer(obj.Type())).Len(); n > maxMethods {
				t.Errorf("%s.%s has %d methods, more than %d", pkg.PkgPath, name, n, maxMethods)
			}
		}
	}
}
