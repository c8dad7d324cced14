package sources

import (
	"go/ast"
	"go/parser"

	"golang.org/x/tools/go/packages"
)

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
