package event

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/ttlvet/ttlvet/internal/trace/summary"
)

// Imported returns what is known of a function of another package, or nil.
func (e *Event) Imported(fn *types.Func) *summary.Summary {
	if e.tracer == nil || fn == nil {
		return nil
	}
	// Analyzers run side by side.
	e.tracer.Prog.Order.Lock()
	defer e.tracer.Prog.Order.Unlock()
	return e.tracer.Prog.Imported(fn)
}

// Runs returns the declared function that a call in the event's package runs,
// or nil.
func (e *Event) Runs(call *ast.CallExpr) *types.Func {
	if e.tracer == nil {
		return nil
	}
	fn, _ := typeutil.Callee(e.tracer.Prog.Pass.TypesInfo, call).(*types.Func)
	if fn == nil {
		return nil
	}
	return fn.Origin()
}
