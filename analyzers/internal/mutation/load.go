// Package mutation breaks correct code, one expression at a time, for the
// test that counts how much of it the analyzers find.
package mutation

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"strings"

	"golang.org/x/tools/go/packages"
)

// A Program is packages with syntax and types whose files can be changed in
// memory. What they import from elsewhere comes from export data.
type Program struct {
	Fset     *token.FileSet
	Packages []*packages.Package // dependencies first
	types    map[string]*types.Package
}

// Load loads the packages that the patterns match in the module of dir.
func Load(dir string, patterns ...string) (*Program, error) {
	p := &Program{Fset: token.NewFileSet(), types: map[string]*types.Package{"unsafe": types.Unsafe}}
	roots, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax | packages.NeedModule, Dir: dir, Fset: p.Fset}, patterns...)
	if err != nil {
		return nil, err
	}
	isRoot := map[*packages.Package]bool{}
	for _, r := range roots {
		for _, e := range r.Errors {
			return nil, e
		}
		isRoot[r] = true
		p.collect(r.Types)
	}
	packages.Visit(roots, nil, func(q *packages.Package) {
		if !isRoot[q] {
			return
		}
		// What has no syntax has no facts: analyzers need not ask for them.
		for path, imp := range q.Imports {
			if !isRoot[imp] {
				delete(q.Imports, path)
			}
		}
		p.Packages = append(p.Packages, q)
	})
	return p, nil
}

func (p *Program) collect(t *types.Package) {
	if p.types[t.Path()] != nil {
		return
	}
	p.types[t.Path()] = t
	for _, imp := range t.Imports() {
		p.collect(imp)
	}
}

// Source returns the text of a file.
func Source(name string) (string, error) {
	text, err := os.ReadFile(name)
	return string(text), err
}

// Change returns the package with another text for one of its files, and
// every package that imports it, typed anew. Variables and imports that are
// no longer used are no errors.
func (p *Program) Change(pkg *packages.Package, file, text string) ([]*packages.Package, error) {
	fresh := map[string]*packages.Package{}
	var out []*packages.Package
	for _, q := range p.Packages {
		affected := q == pkg
		for _, imp := range q.Imports {
			affected = affected || fresh[imp.PkgPath] != nil
		}
		if !affected {
			continue
		}
		c := *q
		if q == pkg {
			c.Syntax = append([]*ast.File(nil), q.Syntax...)
			for i, f := range q.Syntax {
				if p.Fset.File(f.FileStart).Name() != file {
					continue
				}
				parsed, err := parser.ParseFile(p.Fset, file, text, parser.ParseComments|parser.SkipObjectResolution)
				if err != nil {
					return nil, err
				}
				c.Syntax[i] = parsed
			}
		}
		c.Imports = map[string]*packages.Package{}
		for path, imp := range q.Imports {
			if f := fresh[imp.PkgPath]; f != nil {
				imp = f
			}
			c.Imports[path] = imp
		}
		if err := p.check(&c, fresh); err != nil {
			return nil, err
		}
		fresh[q.PkgPath] = &c
		out = append(out, &c)
	}
	return out, nil
}

func (p *Program) check(q *packages.Package, fresh map[string]*packages.Package) error {
	var errs []string
	conf := &types.Config{
		Sizes: q.TypesSizes,
		Error: func(err error) {
			var e types.Error
			if !errors.As(err, &e) || !e.Soft {
				errs = append(errs, err.Error())
			}
		},
		Importer: importer(func(path string) (*types.Package, error) {
			if f := fresh[path]; f != nil {
				return f.Types, nil
			}
			if t := p.types[path]; t != nil {
				return t, nil
			}
			return nil, fmt.Errorf("%s is imported nowhere else", path)
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
