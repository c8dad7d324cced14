package sources

import (
	"fmt"
	"go/ast"
	"go/parser"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// Edit returns the packages of which files have another text, typed anew, and
// every package that imports them, dependencies first. A file that the program
// does not have is new: in the package of its directory, or in a package of its
// own, which must import nothing of the program. A file without a text is left
// out. Variables and imports that are not used are no errors.
func (p *Program) Edit(texts map[string]string) ([]*packages.Package, error) {
	byDir, all := map[string]*packages.Package{}, slices.Clone(p.Packages)
	for _, q := range p.Packages {
		byDir[filepath.Dir(q.GoFiles[0])] = q
	}
	names := map[*packages.Package][]string{}
	for file := range texts {
		dir := filepath.Dir(file)
		if byDir[dir] == nil {
			q, err := p.newPackage(dir)
			if err != nil {
				return nil, err
			}
			byDir[dir] = q
			all = slices.Insert(all, 0, q)
		}
		names[byDir[dir]] = append(names[byDir[dir]], file)
	}
	fresh := map[string]*packages.Package{}
	var out []*packages.Package
	for _, q := range all {
		affected := names[q] != nil
		for _, imp := range q.Imports {
			affected = affected || fresh[imp.PkgPath] != nil
		}
		if !affected {
			continue
		}
		c := *q
		c.Syntax = slices.DeleteFunc(slices.Clone(q.Syntax), func(f *ast.File) bool { return slices.Contains(names[q], p.Fset.File(f.FileStart).Name()) })
		for _, name := range names[q] {
			if texts[name] == "" {
				continue
			}
			f, err := parser.ParseFile(p.Fset, name, texts[name], parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			c.Syntax = append(c.Syntax, f)
		}
		slices.SortFunc(c.Syntax, func(a, b *ast.File) int {
			return strings.Compare(p.Fset.File(a.FileStart).Name(), p.Fset.File(b.FileStart).Name())
		})
		c.Imports = map[string]*packages.Package{}
		for path, imp := range q.Imports {
			if f := fresh[imp.PkgPath]; f != nil {
				imp = f
			}
			c.Imports[path] = imp
		}
		for _, f := range c.Syntax {
			for _, spec := range f.Imports {
				path := strings.Trim(spec.Path.Value, "\"`")
				if imp := fresh[path]; imp != nil && c.Imports[path] == nil {
					c.Imports[path] = imp
				}
			}
		}
		if err := p.check(&c, fresh); err != nil {
			return nil, err
		}
		fresh[q.PkgPath] = &c
		out = append(out, &c)
	}
	return out, nil
}

// newPackage returns a package without files in a directory of one of the
// program's modules.
func (p *Program) newPackage(dir string) (*packages.Package, error) {
	for _, q := range p.Packages {
		if q.Module == nil {
			continue
		}
		rel, err := filepath.Rel(q.Module.Dir, dir)
		if err != nil || strings.HasPrefix(rel, "..") {
			continue
		}
		path := q.Module.Path + "/" + filepath.ToSlash(rel)
		return &packages.Package{ID: path, PkgPath: path, Name: filepath.Base(dir), Module: q.Module, TypesSizes: q.TypesSizes, Fset: p.Fset}, nil
	}
	return nil, fmt.Errorf("%s is in no module of the program", dir)
}
