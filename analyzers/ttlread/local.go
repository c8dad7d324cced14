package ttlread

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/ttlvet/ttlvet/internal/syntax"
)

// changeable reports whether a fix of the read may change an expression: one that is
// written in its call, or as the value of a local variable that is used there alone.
func (r *read) changeable(e ast.Expr) bool {
	for e != nil && !r.at(e) {
		e = r.onlyUse(e)
	}
	return e != nil
}

// onlyUse returns where a local variable is used that has an expression in its value: nil
// where there is none, where it is used or assigned elsewhere too, or in another turn of a
// loop.
func (r *read) onlyUse(e ast.Expr) ast.Expr {
	parents := r.p.Parents(e)
	declared := declaredBy(e, parents)
	if declared == nil {
		return nil
	}
	v := r.p.TypesInfo.Defs[declared]
	var uses []ast.Expr
	for _, n := range parents {
		fn, ok := n.(*ast.FuncDecl)
		if !ok || v == nil {
			continue
		}
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && r.p.TypesInfo.Uses[id] == v {
				uses = append(uses, id)
			}
			return len(uses) < 2
		})
	}
	if _, local := v.(*types.Var); !local || len(uses) != 1 || !slices.Equal(turns(parents), turns(r.p.Parents(uses[0]))) {
		return nil
	}
	return uses[0]
}

// turns lists the loops and function literals, of the nodes that enclose one, in which it
// may run several times, or later.
func turns(parents []ast.Node) (out []ast.Node) {
	for _, n := range parents {
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.FuncLit, *ast.GoStmt, *ast.DeferStmt:
			out = append(out, n)
		}
	}
	return out
}

// declaredBy returns the name of the variable that is declared with the one value in which
// an expression stands; nil where none is.
func declaredBy(e ast.Expr, parents []ast.Node) *ast.Ident {
	for _, n := range parents {
		switch n.(type) {
		case ast.Stmt, *ast.ValueSpec, *ast.FuncLit:
			to, declares := syntax.AssignedTo(n, e)
			id, _ := to.(*ast.Ident)
			if !declares {
				return nil
			}
			return id
		}
	}
	return nil
}
