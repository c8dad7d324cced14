package ttlunit

import (
	"fmt"
	"go/ast"
	"go/types"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/check"
	"github.com/ttlvet/ttlvet/internal/trace"
	"github.com/ttlvet/ttlvet/internal/value"
	"github.com/ttlvet/ttlvet/internal/wording"
)

// scales are the units by their multiples in Go.
var scales = map[string]string{
	"microseconds": "time.Microsecond", "milliseconds": "time.Millisecond", "seconds": "time.Second",
	"minutes": "time.Minute", "hours": "time.Hour", "days": "24*time.Hour", "weeks": "7*24*time.Hour",
}

// named judges an age, or a lifetime, of which no more is known than that it is
// a number whose name says its unit, converted as it is:
// time.Duration(cfg.RetentionSeconds).
func (u *units) named(e *trace.Event, c trace.Case) []check.Finding {
	arg := e.Arg(c, 0)
	if e.Depth > 0 || arg == nil || c.Args[0].Known() {
		return nil
	}
	number := u.converted(arg, c.Args[0])
	if number == nil {
		return nil
	}
	name := nameOf(number)
	unit := wording.Unit(name)
	if unit == "" {
		return nil
	}
	return []check.Finding{{Category: "age-unit", At: arg, Message: fmt.Sprintf("%s is a number of %s, and a time.Duration counts nanoseconds: the age comes to less than is meant; write time.Duration(%s) * %s",
		name, unit, types.ExprString(number), scales[unit])}}
}

// converted returns the integer that an age converts to a duration as it is;
// nil where it does not.
func (u *units) converted(arg ast.Expr, age *value.Value) ast.Expr {
	for _, e := range []ast.Expr{arg, age.Expr} {
		call, ok := e.(*ast.CallExpr)
		if !ok || len(call.Args) != 1 || !u.TypesInfo.Types[call.Fun].IsType() || btapi.Type(u.TypesInfo.TypeOf(call)) != "time.Duration" {
			continue
		}
		number := ast.Unparen(call.Args[0])
		for { // int64(n)
			inner, ok := number.(*ast.CallExpr)
			if !ok || len(inner.Args) != 1 || !u.TypesInfo.Types[inner.Fun].IsType() {
				break
			}
			number = ast.Unparen(inner.Args[0])
		}
		if b, ok := u.TypesInfo.TypeOf(number).Underlying().(*types.Basic); ok && b.Info()&types.IsNumeric != 0 && btapi.Type(u.TypesInfo.TypeOf(number)) != "time.Duration" {
			return number
		}
	}
	return nil
}

// nameOf returns the name of a variable, a field or a function; "" of any other
// expression.
func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.StarExpr:
		return nameOf(ast.Unparen(e.X))
	case *ast.CallExpr:
		if len(e.Args) == 0 {
			return nameOf(ast.Unparen(e.Fun))
		}
	}
	return ""
}
