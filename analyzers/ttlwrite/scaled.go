package ttlwrite

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/analyzers/internal/fix"
)

// scaled is the fix that multiplies a sequence number by 1000: the number
// itself when it is written, the argument of a conversion to Timestamp
// otherwise.
func (w write) scaled() *analysis.SuggestedFix {
	if w.arg < 0 {
		return nil
	}
	expr := w.e.Arg(w.c, w.arg)
	if expr == nil {
		return nil
	}
	b := fix.New(w.p.Pass, expr)
	if b == nil {
		return nil
	}
	number := ast.Unparen(expr)
	if call, ok := number.(*ast.CallExpr); ok && len(call.Args) == 1 {
		if tv := w.p.TypesInfo.Types[call.Fun]; !tv.IsType() {
			return nil
		}
		number = ast.Unparen(call.Args[0])
	} else if tv := w.p.TypesInfo.Types[number]; tv.Value == nil {
		// A variable: a Timestamp already, which can be multiplied too.
		if _, ok := number.(*ast.Ident); !ok {
			return nil
		}
	}
	if tv := w.p.TypesInfo.Types[number]; tv.Value != nil {
		if _, lit := number.(*ast.BasicLit); lit && tv.Value.Kind() == constant.Int {
			return b.Insert(number.End(), "*1000").Done("Multiply the number by 1000")
		}
	}
	if t, ok := w.p.TypesInfo.TypeOf(number).Underlying().(*types.Basic); !ok || t.Info()&types.IsInteger == 0 || small(t) {
		return nil
	}
	if bin, ok := number.(*ast.BinaryExpr); ok && bin.Op.Precedence() < token.MUL.Precedence() {
		return b.Insert(number.Pos(), "(").Insert(number.End(), ")*1000").Done("Multiply the number by 1000")
	}
	return b.Insert(number.End(), "*1000").Done("Multiply the number by 1000")
}

// small reports whether a product in that type may overflow.
func small(t *types.Basic) bool {
	switch t.Kind() {
	case types.Int8, types.Int16, types.Int32, types.Uint8, types.Uint16, types.Uint32:
		return true
	}
	return false
}
