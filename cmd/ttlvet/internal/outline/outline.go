// Package outline reads of a Go file what other packages can see of it: its
// declarations without what functions do.
package outline

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
)

// Parse parses a file and empties its function bodies. On a syntax error it
// returns as much as could be parsed, too.
func Parse(fset *token.FileSet, filename string) (*ast.File, error) {
	f, err := parser.ParseFile(fset, filename, nil, parser.SkipObjectResolution)
	if f == nil {
		return nil, err
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			// Without a body, init and generic functions would be errors.
			n.Body = &ast.BlockStmt{Lbrace: n.End(), Rbrace: n.End()}
		case *ast.FuncLit:
			n.Body = &ast.BlockStmt{Lbrace: n.Body.Lbrace, Rbrace: n.Body.Rbrace}
		case *ast.GenDecl:
			if n.Tok == token.VAR {
				dropValues(n)
			}
		}
		return true
	})
	return f, err
}

// dropValues drops the values of variables whose types stand beside them.
func dropValues(decl *ast.GenDecl) {
	for _, s := range decl.Specs {
		if s, ok := s.(*ast.ValueSpec); ok && s.Type != nil {
			s.Values = nil
		}
	}
}

// Prune drops the imports of which the file's declarations make no use. name
// returns the name of the package that an import path stands for, or "". It
// returns the paths that are left.
func Prune(f *ast.File, name func(importPath string) string) []string {
	used := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok {
				used[x.Name] = true
			}
		}
		return true
	})
	var paths []string
	f.Imports = nil
	f.Decls = slices.DeleteFunc(f.Decls, func(d ast.Decl) bool {
		decl, ok := d.(*ast.GenDecl)
		if !ok || decl.Tok != token.IMPORT {
			return false
		}
		decl.Specs = slices.DeleteFunc(decl.Specs, func(s ast.Spec) bool {
			spec := s.(*ast.ImportSpec)
			p, _ := strconv.Unquote(spec.Path.Value)
			local := cmp.Or(name(p), path.Base(p))
			if spec.Name != nil {
				local = spec.Name.Name
			}
			if local != "." && !used[local] {
				return true
			}
			f.Imports = append(f.Imports, spec)
			paths = append(paths, p)
			return false
		})
		return len(decl.Specs) == 0
	})
	return paths
}
