package helper_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ttlvet/ttlvet/internal/helper"
)

// TestTable holds the table against the API of the runtime package: a helper
// that is not in it is one of which ttlvet is blind.
func TestTable(t *testing.T) {
	have := api(t, "../../runtime/ttl")
	for _, name := range slices.Sorted(maps.Keys(have)) {
		if helper.Of(name) == nil {
			t.Errorf("%s is not in the table: say what it does to the data, or that it does nothing", name)
		}
	}
	for _, name := range helper.Names() {
		if !have[name] {
			t.Errorf("%s is in the table, but not in the package", name)
		}
	}
}

// api returns the exported functions of a package, and the exported methods of
// its exported types, promoted ones included, by their names in btapi.
func api(t *testing.T, dir string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	methods := map[string][]string{} // by type
	embeds := map[string][]string{}
	names := map[string]bool{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				switch {
				case !d.Name.IsExported():
				case d.Recv == nil:
					names["ttl."+d.Name.Name] = true
				default:
					of := typeName(d.Recv.List[0].Type)
					methods[of] = append(methods[of], d.Name.Name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if s, ok := spec.(*ast.TypeSpec); ok {
						members(s, methods, embeds)
					}
				}
			}
		}
	}
	var add func(of, in string)
	add = func(of, in string) {
		for _, m := range methods[in] {
			// What an interface embeds is that one's.
			names["ttl."+of+"."+m] = true
		}
		for _, e := range embeds[in] {
			add(of, e)
		}
	}
	for of := range maps.Keys(methods) {
		if ast.IsExported(of) {
			add(of, of)
		}
	}
	for of := range maps.Keys(embeds) {
		if ast.IsExported(of) {
			add(of, of)
		}
	}
	return names
}

// members adds the exported methods of an interface, and what a struct embeds.
func members(s *ast.TypeSpec, methods, embeds map[string][]string) {
	switch typ := s.Type.(type) {
	case *ast.InterfaceType:
		for _, m := range typ.Methods.List {
			for _, name := range m.Names {
				if name.IsExported() {
					methods[s.Name.Name] = append(methods[s.Name.Name], name.Name)
				}
			}
		}
	case *ast.StructType:
		for _, f := range typ.Fields.List {
			if len(f.Names) == 0 {
				embeds[s.Name.Name] = append(embeds[s.Name.Name], typeName(f.Type))
			}
		}
	}
}

func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
