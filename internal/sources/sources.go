// Package sources loads the packages of a module from source, and what they
// import from export data, for tests that analyse a module several times or in
// several versions.
package sources

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/gcexportdata"
	"golang.org/x/tools/go/packages"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/module"
)

// A Program is packages with syntax and types whose files can be changed in
// memory.
type Program struct {
	Fset     *token.FileSet
	Packages []*packages.Package // dependencies first

	conf     *packages.Config           // by which it was loaded
	units    map[*packages.Package]bool // those of Packages
	exports  map[string]string          // export data files, by import path
	imported map[string]*types.Package  // from export data
}

// Load loads the packages that the patterns match in the module of dir, with
// their tests where tests is set, and those that these import and through which
// the analyzers follow values. The others come from export data, which the go
// command compiles where its cache lacks it, and have no facts: their Imports
// are cut off.
func Load(dir string, tests bool, patterns ...string) (*Program, error) {
	conf := &packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule | packages.NeedTypesSizes,
		Dir:  dir, Tests: tests, Env: append(os.Environ(), "GOFLAGS=", "GOWORK="+workspace(dir)),
	}
	roots, err := packages.Load(conf, patterns...)
	if err != nil {
		return nil, err
	}
	p := &Program{
		Fset: token.NewFileSet(), conf: conf, units: map[*packages.Package]bool{},
		exports: map[string]string{}, imported: map[string]*types.Package{"unsafe": types.Unsafe},
	}
	var errs []error
	packages.Visit(roots, nil, func(q *packages.Package) {
		for _, e := range q.Errors {
			errs = append(errs, e)
		}
		if !strings.HasSuffix(q.ID, ".test") && p.fromSource(q) {
			p.units[q] = true
			p.Packages = append(p.Packages, q)
		}
	})
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if len(p.Packages) == 0 {
		return nil, fmt.Errorf("no packages of %s match %q", dir, patterns)
	}
	if err := p.findExports(); err != nil {
		return nil, err
	}
	for _, q := range p.Packages {
		q.Fset = p.Fset
		for _, name := range q.GoFiles {
			f, err := parser.ParseFile(p.Fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			q.Syntax = append(q.Syntax, f)
		}
		if err := p.check(q, nil); err != nil {
			return nil, fmt.Errorf("%s: %w", q.ID, err)
		}
	}
	for _, q := range p.Packages {
		for path, imp := range q.Imports {
			if !p.units[imp] {
				delete(q.Imports, path)
			}
		}
	}
	return p, nil
}

// workspace returns the workspace of a module: its own, or none. The go command
// wants its absolute path.
func workspace(dir string) string {
	file, err := filepath.Abs(filepath.Join(dir, "go.work"))
	if err == nil {
		_, err = os.Stat(file)
	}
	if err != nil {
		return "off"
	}
	return file
}

// fromSource reports whether analyzers look into a package: it is the module's
// own, or reaches the client, or values are followed through it.
func (p *Program) fromSource(q *packages.Package) bool {
	if btapi.IsClient(q.PkgPath) || len(q.GoFiles) == 0 {
		return false
	}
	for _, imp := range q.Imports {
		if p.units[imp] || btapi.IsRoot(imp.PkgPath) {
			return true
		}
	}
	return module.Followed(filepath.Dir(q.GoFiles[0]))
}

// findExports asks for the export data of what the packages import, and of
// package time, which mutants of what imports the client import beside.
func (p *Program) findExports() error {
	paths := map[string]bool{}
	for _, q := range p.Packages {
		for _, imp := range q.Imports {
			if !p.units[imp] {
				paths[imp.PkgPath] = true
			}
			if btapi.IsRoot(imp.PkgPath) {
				paths["time"] = true
			}
		}
	}
	if len(paths) == 0 {
		return nil
	}
	return p.askExports(slices.Collect(maps.Keys(paths)))
}

func (p *Program) askExports(list []string) error {
	exports := *p.conf
	exports.Mode, exports.Tests = packages.NeedName|packages.NeedExportFile, false
	pkgs, err := packages.Load(&exports, list...)
	if err != nil {
		return err
	}
	for _, q := range pkgs {
		for _, e := range q.Errors {
			return e
		}
		p.exports[q.PkgPath] = q.ExportFile
	}
	return nil
}

// importPackage returns the types of a package that is not loaded from source.
func (p *Program) importPackage(path string) (*types.Package, error) {
	if t := p.imported[path]; t != nil && t.Complete() {
		return t, nil
	}
	if p.exports[path] == "" { // what only a changed text imports
		if err := p.askExports([]string{path}); err != nil {
			return nil, err
		}
	}
	f, err := os.Open(p.exports[path])
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := gcexportdata.NewReader(f)
	if err != nil {
		return nil, err
	}
	return gcexportdata.Read(r, p.Fset, p.imported, path)
}

// check types a package. Of those that it imports, fresh ones take the place of
// others.
func (p *Program) check(q *packages.Package, fresh map[string]*packages.Package) error {
	var errs []string
	conf := &types.Config{
		Sizes: q.TypesSizes,
		Error: func(err error) {
			var e types.Error
			if fresh == nil || !errors.As(err, &e) || !e.Soft {
				errs = append(errs, err.Error())
			}
		},
		Importer: importer(func(path string) (*types.Package, error) {
			if f := fresh[path]; f != nil {
				return f.Types, nil
			}
			imp := q.Imports[path]
			if imp == nil {
				return p.importPackage(path)
			}
			if p.units[imp] {
				return imp.Types, nil
			}
			return p.importPackage(imp.PkgPath)
		}),
	}
	if q.Module != nil && q.Module.GoVersion != "" {
		conf.GoVersion = "go" + q.Module.GoVersion
	}
	q.TypesInfo = &types.Info{
		Types:        map[ast.Expr]types.TypeAndValue{},
		Defs:         map[*ast.Ident]types.Object{},
		Uses:         map[*ast.Ident]types.Object{},
		Implicits:    map[ast.Node]types.Object{},
		Instances:    map[*ast.Ident]types.Instance{},
		Scopes:       map[ast.Node]*types.Scope{},
		Selections:   map[*ast.SelectorExpr]*types.Selection{},
		FileVersions: map[*ast.File]string{},
	}
	q.Types, _ = conf.Check(q.PkgPath, p.Fset, q.Syntax, q.TypesInfo)
	if errs != nil {
		return errors.New(strings.Join(errs, "\n"))
	}
	return nil
}

type importer func(path string) (*types.Package, error)

func (f importer) Import(path string) (*types.Package, error) { return f(path) }
