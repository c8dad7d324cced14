package analyze

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/packages"
)

// asked returns the names of the functions of which another package may ask what they
// return. A call of a function in its own package asks no facts, unless it goes through an
// interface; a function that is a value may be called anywhere.
func asked(pkgs []*packages.Package) map[string]bool {
	names := map[string]bool{}
	packages.Visit(pkgs, nil, func(p *packages.Package) {
		if p.TypesInfo == nil {
			return
		}
		called := map[*ast.Ident]bool{}
		for _, file := range p.Syntax {
			ast.Inspect(file, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok {
					called[callee(call)] = true
				}
				return true
			})
		}
		for id, obj := range p.TypesInfo.Uses {
			fn, ok := obj.(*types.Func)
			if !ok {
				continue
			}
			recv := fn.Signature().Recv()
			if !called[id] || fn.Pkg() != p.Types || recv != nil && types.IsInterface(recv.Type()) {
				names[fn.Name()] = true
			}
		}
	})
	return names
}

// callee returns the name that a call calls, nil where it calls something else.
func callee(call *ast.CallExpr) *ast.Ident {
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		return f
	case *ast.SelectorExpr:
		return f.Sel
	}
	return nil
}
