package ttlunit

import (
	"go/ast"
	"go/token"
	"go/types"
)

// onlyCompared reports whether a filter is made to compare others with it or
// with its type, or to print it, and never sent.
func (u *units) onlyCompared(n ast.Node, depth int) bool {
	parents := u.Parents(n)
	for i := 0; i < len(parents); i++ {
		switch parent := parents[i].(type) {
		case *ast.ParenExpr:
			continue
		case *ast.BinaryExpr:
			return parent.Op == token.EQL || parent.Op == token.NEQ
		case *ast.SelectorExpr, *ast.TypeAssertExpr, *ast.SwitchStmt, *ast.CaseClause:
			return true
		case *ast.CallExpr:
			sel, ok := parent.Fun.(*ast.SelectorExpr)
			if !ok {
				return false
			}
			fn, ok := u.TypesInfo.Uses[sel.Sel].(*types.Func)
			return ok && fn.Pkg() != nil && (fn.Pkg().Path() == "reflect" || fn.Pkg().Path() == "fmt")
		case *ast.ValueSpec:
			return depth > 0 && len(parent.Names) == len(parent.Values) && u.usesCompared(parent.Names, parent.Values, n, depth)
		case *ast.AssignStmt:
			var names []*ast.Ident
			for _, lhs := range parent.Lhs {
				id, ok := lhs.(*ast.Ident)
				if !ok {
					return false
				}
				names = append(names, id)
			}
			return depth > 0 && parent.Tok == token.DEFINE && len(names) == len(parent.Rhs) && u.usesCompared(names, parent.Rhs, n, depth)
		default:
			return false
		}
	}
	return false
}

// usesCompared reports whether the variable to which a filter is assigned is
// only compared. One that other packages see may be sent there.
func (u *units) usesCompared(names []*ast.Ident, values []ast.Expr, n ast.Node, depth int) bool {
	for i, v := range values {
		if v.Pos() > n.Pos() || n.End() > v.End() {
			continue
		}
		obj := u.TypesInfo.Defs[names[i]]
		if obj == nil || obj.Exported() && obj.Parent() == u.Pkg.Scope() {
			return names[i].Name == "_"
		}
		for id, used := range u.TypesInfo.Uses {
			if used == obj && !u.onlyCompared(id, depth-1) {
				return false
			}
		}
		return true
	}
	return false
}
