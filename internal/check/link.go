package check

import (
	"go/ast"
	"go/token"
	"go/types"
)

// Link returns where a node stands as far as readers are concerned: a call in a
// chain of calls at its own link, where that is on another line than the
// chain's beginning, or a link like those before it: b.Set(…).Set(…). The
// chain's beginning is the place of all its links.
func (p *Pass) Link(n ast.Node) token.Pos {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return n.Pos()
	}
	fun := ast.Unparen(call.Fun)
	switch x := fun.(type) {
	case *ast.IndexExpr:
		fun = x.X
	case *ast.IndexListExpr:
		fun = x.X
	}
	sel, ok := fun.(*ast.SelectorExpr)
	if !ok {
		return n.Pos()
	}
	if p.line(sel.Sel) != p.line(n) {
		return sel.Sel.Pos()
	}
	if before, ok := ast.Unparen(sel.X).(*ast.CallExpr); ok {
		a, b := p.TypesInfo.TypeOf(before), p.TypesInfo.TypeOf(call)
		if a != nil && b != nil && types.Identical(a, b) {
			return sel.Sel.Pos()
		}
	}
	return n.Pos()
}

func (p *Pass) line(n ast.Node) int { return p.Fset.Position(n.Pos()).Line }
