package layertest

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"sort"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/txtar"
)

// Domain is what import paths of an archive's packages begin with.
const Domain = "example.com/"

// Client is the import path of the client.
const Client = "cloud.google.com/go/bigtable"

//go:embed testdata/std.txtar
var std []byte

// A universe is the packages that sources can import, by their paths.
type universe map[string]*types.Package

// Import returns the package with that path.
func (u universe) Import(path string) (*types.Package, error) {
	if pkg := u[path]; pkg != nil {
		return pkg, nil
	}
	return nil, fmt.Errorf("there is no stub of %s", path)
}

var fset = token.NewFileSet()

// stubs are the packages that every source can import.
var stubs = sync.OnceValues(func() (universe, error) {
	u := universe{}
	for _, f := range txtar.Parse(std).Files {
		if err := u.add(path.Dir(f.Name), map[string]string{f.Name: string(f.Data)}); err != nil {
			return nil, err
		}
	}
	root, err := module()
	if err != nil {
		return nil, err
	}
	names, err := filepath.Glob(filepath.Join(root, "cmd/ttlvet/testdata/stub/*.go"))
	if err != nil || len(names) == 0 {
		return nil, fmt.Errorf("no stub of the client in %s: %v", root, err)
	}
	files := map[string]string{}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		files[name] = string(data)
	}
	return u, u.add(Client, files)
})

func (u universe) add(path string, sources map[string]string) error {
	var files []*ast.File
	for name, src := range sources {
		f, err := parser.ParseFile(fset, name, src, 0)
		if err != nil {
			return err
		}
		files = append(files, f)
	}
	pkg, err := (&types.Config{Importer: u, IgnoreFuncBodies: true}).Check(path, fset, files, nil)
	u[path] = pkg
	return err
}

// module finds the directory of go.mod, above that of the test.
func module() (string, error) {
	dir, err := os.Getwd()
	for err == nil {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if filepath.Dir(dir) == dir {
			err = fmt.Errorf("no go.mod above the test's directory")
		}
		dir = filepath.Dir(dir)
	}
	return "", err
}

// Stubs returns the packages that every source can import, by their paths.
func Stubs() (map[string]*types.Package, error) { return stubs() }

// Packages type-checks the packages of a source, in their order. The passes
// share their facts, as those of a driver do.
func Packages(tb testing.TB, src string) []*analysis.Pass {
	tb.Helper()
	archive := txtar.Parse([]byte(src))
	if len(archive.Files) == 0 {
		archive.Files = []txtar.File{{Name: "p/p.go", Data: []byte(src)}}
	}
	shared, err := stubs()
	if err != nil {
		tb.Fatal(err)
	}
	u := universe{}
	for path, pkg := range shared {
		u[path] = pkg
	}
	facts := factStore{}
	var passes []*analysis.Pass
	byPath := map[string][]*ast.File{}
	var order []string
	for _, f := range archive.Files {
		path := Domain + path.Dir(f.Name)
		if byPath[path] == nil {
			order = append(order, path)
		}
		file, err := parser.ParseFile(fset, f.Name, u.complete(path, f.Name, string(f.Data), order), parser.ParseComments)
		if err != nil {
			tb.Fatal(err)
		}
		byPath[path] = append(byPath[path], file)
	}
	for _, path := range order {
		pass, err := u.check(path, byPath[path], facts)
		if err != nil {
			tb.Fatal(err)
		}
		passes = append(passes, pass)
	}
	return passes
}

var qualifier = regexp.MustCompile(`\b([a-z]+)\.[A-Z]`)

// complete puts package clause, imports and the function show before the
// declarations of a file that has no package clause.
func (u universe) complete(pkg, name, src string, others []string) string {
	if strings.HasPrefix(strings.TrimSpace(src), "package ") {
		return src
	}
	importable := map[string]string{}
	for path := range u {
		importable[path[strings.LastIndexByte(path, '/')+1:]] = path
	}
	for _, path := range others {
		importable[path[strings.LastIndexByte(path, '/')+1:]] = path
	}
	used := map[string]bool{}
	for _, m := range qualifier.FindAllStringSubmatch(src, -1) {
		if path := importable[m[1]]; path != "" && path != pkg {
			used[path] = true
		}
	}
	var paths []string
	for path := range used {
		paths = append(paths, path)
	}
	sort.Strings(paths)
	head := "package " + path.Base(path.Dir(name)) + ";"
	for _, path := range paths {
		head += fmt.Sprintf(" import %q;", path)
	}
	if strings.Contains(src, "show(") {
		head += " func show[T any](T) {};"
	}
	return head + " " + src
}

func (u universe) check(path string, files []*ast.File, facts factStore) (*analysis.Pass, error) {
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}, Scopes: map[ast.Node]*types.Scope{},
		Instances: map[*ast.Ident]types.Instance{}, FileVersions: map[*ast.File]string{},
	}
	pkg, err := (&types.Config{Importer: u}).Check(path, fset, files, info)
	if err != nil {
		return nil, err
	}
	u[path] = pkg
	return &analysis.Pass{
		Fset: fset, Files: files, Pkg: pkg, TypesInfo: info, TypesSizes: types.SizesFor("gc", "amd64"),
		Report:            func(analysis.Diagnostic) {},
		ImportObjectFact:  func(obj types.Object, fact analysis.Fact) bool { return facts.get(obj, fact) },
		ImportPackageFact: func(pkg *types.Package, fact analysis.Fact) bool { return facts.get(pkg, fact) },
		ExportObjectFact:  func(obj types.Object, fact analysis.Fact) { facts.put(obj, fact) },
		ExportPackageFact: func(fact analysis.Fact) { facts.put(pkg, fact) },
	}, nil
}

// A factStore holds the facts of objects and packages.
type factStore map[factKey]analysis.Fact

type factKey struct {
	of  any
	typ reflect.Type
}

func (s factStore) put(of any, fact analysis.Fact) { s[factKey{of, reflect.TypeOf(fact)}] = fact }

func (s factStore) get(of any, fact analysis.Fact) bool {
	known, ok := s[factKey{of, reflect.TypeOf(fact)}]
	if ok {
		reflect.ValueOf(fact).Elem().Set(reflect.ValueOf(known).Elem())
	}
	return ok
}
