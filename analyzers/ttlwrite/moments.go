package ttlwrite

import (
	"go/ast"

	"github.com/ttlvet/ttlvet/internal/check"
	"github.com/ttlvet/ttlvet/internal/syntax"
	"github.com/ttlvet/ttlvet/internal/trace"
	"github.com/ttlvet/ttlvet/internal/value"
)

// moments compares the timestamps of two writes of one function, of which f
// comes first.
type moments struct {
	p    *check.Pass
	e, f *trace.Event
}

// same reports whether two timestamps are certainly the same: the same
// constant, parameter, or the outcome of the same readings of the clock.
func (m moments) same(a, b *value.Value) bool {
	if a.String() != b.String() {
		return false
	}
	unknown := false
	a.Walk(func(v *value.Value) {
		unknown = unknown || v.Kind == value.Unknown || v.Kind == value.Field
	})
	return !unknown && m.alike(a, b)
}

// alike is same for values that are made in the same way: the readings in them
// are what may differ.
func (m moments) alike(a, b *value.Value) bool {
	if m.once(a.Expr, b.Expr) {
		return true
	}
	if a.Kind == value.Call {
		switch a.Name {
		case "time.Now", "bigtable.Now", value.Clock, trace.Invoke, value.Method, value.Count, value.Elem:
			return false
		}
	}
	for i := range a.Args {
		if !m.alike(a.Args[i], b.Args[i]) {
			return false
		}
	}
	return true
}

// once reports whether two values come of one expression, which is evaluated in
// the function of the writes, and no second time between them: in no loop that
// is not around both.
func (m moments) once(a, b ast.Expr) bool {
	if a == nil || a != b {
		return false
	}
	for _, n := range m.p.Parents(a) {
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.FuncLit, *ast.FuncDecl:
			// What is around the innermost of them both is around all of it.
			return syntax.Within(m.e.Node, n) && syntax.Within(m.f.Node, n)
		}
	}
	return false
}
