package exportdata

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A listed package is one that the go command lists, with the compiler's output.
type listed struct {
	path, dir, export string
	files             []string
	imports           []string
}

// list lists packages and their dependencies.
func list(t *testing.T, patterns ...string) map[string]*listed {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"list", "-export", "-deps", "-f",
		`{{.ImportPath}}|{{.Dir}}|{{.Export}}|{{join .GoFiles ","}}|{{join .Imports ","}}`}, patterns...)...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	pkgs := map[string]*listed{}
	for line := range strings.Lines(string(out)) {
		f := strings.Split(strings.TrimSpace(line), "|")
		pkgs[f[0]] = &listed{path: f[0], dir: f[1], export: f[2], files: strings.Split(f[3], ","), imports: strings.Split(f[4], ",")}
	}
	return pkgs
}

// source parses a package, and returns the words in it.
func (p *listed) source(t *testing.T, fset *token.FileSet) (files []*ast.File, words map[string]bool) {
	t.Helper()
	words = map[string]bool{}
	for _, name := range p.files {
		f, err := parser.ParseFile(fset, filepath.Join(p.dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
		ast.Inspect(f, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				words[id.Name] = true
			}
			return true
		})
	}
	return files, words
}

// exports returns the files of what the package imports.
func (p *listed) exports(pkgs map[string]*listed) map[string]string {
	files := map[string]string{}
	for _, imp := range p.imports {
		if imp != "unsafe" && pkgs[imp] != nil {
			files[imp] = pkgs[imp].export
		}
	}
	return files
}

func no(string) bool { return false }

// check type-checks a package.
func check(t *testing.T, p *listed, fset *token.FileSet, files []*ast.File, imp types.Importer) *types.Info {
	t.Helper()
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Instances: map[*ast.Ident]types.Instance{},
	}
	conf := &types.Config{Importer: imp, Sizes: types.SizesFor("gc", "amd64")}
	if _, err := conf.Check(p.path, fset, files, info); err != nil {
		t.Fatalf("%s: %v", p.path, err)
	}
	return info
}

// describe writes a type with what is in it, as far as the source can reach.
func describe(t types.Type) string {
	s := types.TypeString(t, nil)
	if _, ok := types.Unalias(t).(*types.Named); ok {
		s += " = " + types.TypeString(t.Underlying(), nil)
	}
	return s
}

// Packages are type-checked with what is read of their imports as with all of it:
// every expression has the same type, every name stands for the same.
func TestSameTypes(t *testing.T) {
	corpus := []string{
		"encoding/json", "go/types", "text/template", "database/sql", "slices", "maps", "log/slog", "testing/fstest",
		"cloud.google.com/go/bigtable", "github.com/hashicorp/hcl/v2/hclsyntax", "github.com/zclconf/go-cty/cty",
		"github.com/goccy/go-yaml", "golang.org/x/tools/go/ssa", "google.golang.org/grpc/internal/transport",
	}
	pkgs := list(t, corpus...)
	for _, path := range corpus {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			p := pkgs[path]
			fset := token.NewFileSet()
			files, words := p.source(t, fset)
			library := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(pkgs[path].export) })
			want := check(t, p, fset, files, library)
			for name, use := range map[string]Use{
				"named":   {Names: words, Whole: no, ByName: no},
				"by name": {Names: words, Whole: no, ByName: func(string) bool { return true }},
				"whole":   {Names: words, Whole: func(string) bool { return true }, ByName: no},
			} {
				imp, err := New(p.exports(pkgs), use)
				if err != nil {
					t.Fatal(err)
				}
				compare(t, name, fset, files, want, check(t, p, fset, files, imp))
			}
		})
	}
}

// compare holds what two importers led to against each other.
func compare(t *testing.T, name string, fset *token.FileSet, files []*ast.File, want, got *types.Info) {
	t.Helper()
	written := map[ast.Expr]bool{}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			if e, ok := n.(ast.Expr); ok {
				written[e] = true
			}
			return true
		})
	}
	wrong := 0
	differ := func(n ast.Node, want, got any) {
		if wrong++; wrong < 5 && fmt.Sprint(want) != fmt.Sprint(got) {
			t.Errorf("%s: %s:\n%v\nwant\n%v", name, fset.Position(n.Pos()), got, want)
		}
	}
	for e, w := range want.Types {
		g, ok := got.Types[e]
		if !ok && !written[e] {
			continue // made by the type checker, anew each time
		}
		if d1, d2 := describe(w.Type), describe(g.Type); d1 != d2 || fmt.Sprint(w.Value) != fmt.Sprint(g.Value) {
			differ(e, d1+" "+fmt.Sprint(w.Value), d2+" "+fmt.Sprint(g.Value))
		}
	}
	for id, w := range want.Uses {
		if g := got.Uses[id]; g == nil || w.String() != g.String() {
			differ(id, w, g)
		}
	}
	for id, w := range want.Instances {
		if g := got.Instances[id]; g.Type == nil || describe(w.Type) != describe(g.Type) {
			differ(id, w.Type, g.Type)
		}
	}
	if len(want.Types) != len(got.Types) || len(want.Selections) != len(got.Selections) {
		t.Errorf("%s: %d expressions and %d selections, want %d and %d", name, len(got.Types), len(got.Selections), len(want.Types), len(want.Selections))
	}
}

// Methods with type parameters of their own, which Go 1.27 has, are read too.
func TestGenericMethods(t *testing.T) {
	if newest < genericMethods {
		t.Skip("go/types of this Go does not know them")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module m\n\ngo 1.27\n",
		"box/box.go": `package box

type Box[T any] struct{ V T }

func (b Box[T]) Get() T { return b.V }
func (b Box[T]) Map[U any](f func(T) U) Box[U] { return Box[U]{f(b.V)} }
func (b *Box[T]) Set(v T) { b.V = v }

type Plain struct{}

func (Plain) As[T interface{ ~int | ~string }](v T) T { return v }
`,
		"use/use.go": `package use

import "m/box"

var Length = box.Box[string]{"a"}.Map(func(s string) int { return len(s) }).Get()
var Text = box.Plain{}.As("a")
`,
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	pkgs := list(t, "./...")
	p := pkgs["m/use"]
	fset := token.NewFileSet()
	files, words := p.source(t, fset)
	imp, err := New(p.exports(pkgs), Use{Names: words, Whole: no, ByName: no})
	if err != nil {
		t.Fatal(err)
	}
	library := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(pkgs[path].export) })
	compare(t, "generic methods", fset, files, check(t, p, fset, files, library), check(t, p, fset, files, imp))
}

// What no name of the source leads to is not read.
func TestAsFarAsNamed(t *testing.T) {
	pkgs := list(t, "net/http")
	imp, err := New(map[string]string{"net/http": pkgs["net/http"].export}, Use{
		Names: map[string]bool{"Cookie": true, "Name": true, "CookieJar": true, "Request": true, "Cookies": true}, Whole: no, ByName: no,
	})
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := imp.Import("net/http")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"Cookie": true, "Request": true, "CookieJar": true, "Server": false, "Get": false} {
		if got := pkg.Scope().Lookup(name) != nil; got != want {
			t.Errorf("%s is there: %t", name, got)
		}
	}
	request := pkg.Scope().Lookup("Request").Type().(*types.Named)
	if request.NumMethods() < 20 {
		t.Errorf("of a request's methods there are %d", request.NumMethods())
	}
	// What returns a *multipart.Reader has a name alone.
	if m, _, _ := types.LookupFieldOrMethod(types.NewPointer(request), true, pkg, "MultipartReader"); m == nil || m.Type().String() != "func()" {
		t.Errorf("MultipartReader is %v", m)
	}
	if _, err := imp.Import("net/url"); err == nil {
		t.Error("a package that was not asked for is imported")
	}
}

// A method that an interface asks for is described, whatever the source calls it.
func TestInterfaces(t *testing.T) {
	pkgs := list(t, "io")
	for names, want := range map[string]string{"Reader LimitedReader": "func(p []byte) (n int, err error)", "LimitedReader": "func()"} {
		use := Use{Names: map[string]bool{}, Whole: no, ByName: func(string) bool { return true }}
		for _, n := range strings.Fields(names) {
			use.Names[n] = true
		}
		imp, err := New(map[string]string{"io": pkgs["io"].export}, use)
		if err != nil {
			t.Fatal(err)
		}
		pkg, err := imp.Import("io")
		if err != nil {
			t.Fatal(err)
		}
		limited := types.NewPointer(pkg.Scope().Lookup("LimitedReader").Type())
		read, _, _ := types.LookupFieldOrMethod(limited, true, pkg, "Read")
		if got := read.Type().String(); got != want {
			t.Errorf("of %s, Read is %s, not %s", names, got, want)
		}
		reader, ok := pkg.Scope().Lookup("Reader").Type().Underlying().(*types.Interface)
		if ok != use.Names["Reader"] || ok && !types.Implements(limited, reader) {
			t.Errorf("of %s, Reader is %v", names, reader)
		}
	}
}

// Another version of the format, and what is no export data, is an error, and
// so that the library's importer is taken.
func TestOther(t *testing.T) {
	pkgs := list(t, "sort")
	data, err := os.ReadFile(pkgs["sort"].export)
	if err != nil {
		t.Fatal(err)
	}
	at := strings.Index(string(data), "\n$$B\nu") + len("\n$$B\nu")
	use := Use{Names: map[string]bool{"Sort": true, "Interface": true}, Whole: no, ByName: no}
	read := func(data []byte) error {
		file := filepath.Join(t.TempDir(), "sort.a")
		if err := os.WriteFile(file, data, 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := New(map[string]string{"sort": file}, use)
		return err
	}
	if err := read(data); err != nil {
		t.Fatal(err)
	}
	changed := func(at int, b byte) []byte {
		c := append([]byte(nil), data...)
		c[at] = b
		return c
	}
	for name, data := range map[string][]byte{
		"another version": changed(at, 7), "flags": changed(at+4, 1), "another archive": changed(0, 'x'), "nothing": nil,
		"a size that is none": changed(8+48, 'x'), "another mark": changed(at-1, 'i'), "text": []byte("package sort"),
	} {
		if err := read(data); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := New(map[string]string{"sort": filepath.Join(t.TempDir(), "none")}, use); err == nil {
		t.Error("a file that is not there: no error")
	}
	// Wherever it is damaged, it is read or is an error.
	size := 4 + 4 + 4*numSections
	for i := at; i < at+size+4000; i += 7 {
		_ = read(changed(i, data[i]^0x55))
	}
}
