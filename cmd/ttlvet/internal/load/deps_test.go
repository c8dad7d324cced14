package load

import (
	"go/token"
	"go/types"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestDependencies holds that the declarations of a package are the same from
// source as from the compiler's export data: those of the client and of all
// that it imports.
func TestDependencies(t *testing.T) {
	t.Parallel()
	const client = "cloud.google.com/go/bigtable"
	if out, err := exec.Command("go", "build", client).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	c := &Config{}
	roots, err := list(c, false, []string{client})
	if err != nil {
		t.Fatal(err)
	}
	var all []*packages.Package
	packages.Visit(roots, nil, func(p *packages.Package) { all = append(all, p) })
	prepared := func(exports bool) *dependencies {
		d := newDependencies(c, token.NewFileSet())
		d.isUnit = func(*packages.Package) bool { return false }
		if !exports {
			for _, p := range all {
				d.exports[p.PkgPath] = ""
			}
		}
		order, err := d.prepare(all)
		if err != nil {
			t.Fatal(err)
		}
		parallel(order, d.check)
		for _, dep := range d.outlines {
			for _, err := range dep.errs {
				t.Errorf("%s: %v", dep.listed.PkgPath, err)
			}
		}
		return d
	}
	compiled, source := prepared(true), prepared(false)
	if len(compiled.outlines) > 0 || len(source.outlines) < len(all)-1 {
		t.Fatalf("%d and %d of %d packages come from source", len(compiled.outlines), len(source.outlines), len(all))
	}
	objects := 0
	for _, p := range all {
		if usesCgo(p) {
			continue // what C has is unknown in source
		}
		want, err := compiled.importPackage(p)
		if err != nil {
			t.Fatal(err)
		}
		got, err := source.importPackage(p)
		if err != nil {
			t.Fatal(err)
		}
		if got.Name() != want.Name() || got.Path() != want.Path() {
			t.Errorf("%v is not %v", got, want)
		}
		for _, name := range want.Scope().Names() {
			if !token.IsExported(name) {
				continue
			}
			objects++
			got, want := describe(got.Scope().Lookup(name)), describe(want.Scope().Lookup(name))
			if !slices.Equal(got, want) {
				t.Errorf("export data:\n%s\nsource:\n%s", strings.Join(want, "\n"), strings.Join(got, "\n"))
			}
		}
	}
	if objects < 10000 {
		t.Errorf("only %d objects", objects)
	}
}

func usesCgo(p *packages.Package) bool {
	for _, imp := range []string{"net", "os/user", "runtime/cgo", "plugin"} {
		if p.PkgPath == imp {
			return true
		}
	}
	return false
}

// unnamed is a result that the compiler has given a name.
var unnamed = regexp.MustCompile(`\(#rv\d+ (\w+)\)`)

// describe returns an object, its value and its methods, one per line.
func describe(o types.Object) []string {
	if o == nil {
		return nil
	}
	lines := []string{o.String()}
	switch o := o.(type) {
	case *types.Const:
		lines = append(lines, o.Val().ExactString())
	case *types.TypeName:
		lines = append(lines, o.Type().Underlying().String())
		if named, ok := o.Type().(*types.Named); ok {
			for m := range named.Methods() {
				if m.Exported() {
					lines = append(lines, m.String())
				}
			}
		}
	}
	for i, line := range lines {
		lines[i] = unnamed.ReplaceAllString(line, "$1")
	}
	slices.Sort(lines)
	return lines
}
