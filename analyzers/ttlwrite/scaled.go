package ttlwrite

import (
	"go/ast"

	"golang.org/x/tools/go/analysis"
)

// scaled is the fix that multiplies a sequence number by 1000.
func (w write) scaled() *analysis.SuggestedFix {
	expr, b := w.written()
	if b == nil || !b.Timestamp(w.p.TypesInfo.TypeOf(expr)) {
		return nil
	}
	const message = "Multiply the number by 1000"
	switch ast.Unparen(expr).(type) {
	case *ast.BasicLit, *ast.CallExpr, *ast.Ident, *ast.SelectorExpr:
		return b.Insert(expr.End(), "*1000").Done(message)
	case *ast.BinaryExpr:
		return b.Insert(expr.Pos(), "(").Insert(expr.End(), ")*1000").Done(message)
	}
	return nil
}
