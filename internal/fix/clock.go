package fix

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/ttlvet/ttlvet/internal/btapi"
)

// Times returns the outermost expressions of type time.Time in another, but for the zero
// time: that is no time to which anything is added.
func (b *Builder) Times(expr ast.Expr) []ast.Expr {
	var list []ast.Expr
	ast.Inspect(expr, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		if !ok || b.pass.TypesInfo.Types[e].IsType() {
			return true
		}
		if _, ok := e.(*ast.FuncLit); ok {
			return false
		}
		if btapi.Type(b.pass.TypesInfo.TypeOf(e)) == "time.Time" {
			if _, zero := e.(*ast.CompositeLit); !zero {
				list = append(list, e)
			}
			return false
		}
		return true
	})
	return list
}

// Plain reports whether an expression reads no clock but the system's, and
// reads it itself: it uses no variable, and calls nothing but package time,
// the client and the runtime package. Another stands for a clock of the
// program's own, which a fix must keep.
func (b *Builder) Plain(expr ast.Expr) bool {
	plain := true
	ast.Inspect(expr, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if v, ok := b.pass.TypesInfo.Uses[n].(*types.Var); ok && !v.IsField() {
				plain = false
			}
		case *ast.CallExpr:
			if b.pass.TypesInfo.Types[n.Fun].IsType() {
				return true
			}
			callee := typeutil.Callee(b.pass.TypesInfo, n)
			if callee == nil || callee.Pkg() == nil {
				plain = false
				return false
			}
			switch callee.Pkg().Path() {
			case Time, Bigtable, Runtime:
			default:
				plain = false
			}
		case *ast.FuncLit:
			plain = false
		}
		return plain
	})
	return plain
}

// Call calls a method, given as ".Name(…)", on an expression.
func (b *Builder) Call(expr ast.Expr, method string) *Builder {
	if Primary(expr) {
		return b.Insert(expr.End(), method)
	}
	return b.Insert(expr.Pos(), "(").Insert(expr.End(), ")"+method)
}

// Primary reports whether a method can be called on the expression without
// parentheses.
func Primary(expr ast.Expr) bool {
	switch expr.(type) {
	case *ast.CallExpr, *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr, *ast.ParenExpr, *ast.TypeAssertExpr, *ast.CompositeLit:
		return true
	}
	return false
}

// Added splits expr.Add(d) in the expression and d.
func Added(expr ast.Expr) (of, d ast.Expr, ok bool) {
	call, ok := ast.Unparen(expr).(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return nil, nil, false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "Add" {
		return nil, nil, false
	}
	return sel.X, call.Args[0], true
}
