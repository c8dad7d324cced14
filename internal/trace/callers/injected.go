package callers

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/memory"
	"github.com/ttlvet/ttlvet/internal/value"
)

// fixedTimes are the calls that make a time of constants.
var fixedTimes = map[string]bool{
	"time.Date": true, "time.Unix": true, "time.UnixMilli": true, "time.UnixMicro": true, "time.Parse": true, value.ZeroTime: true,
}

// injects reports whether a call is a test's of code that is none.
func (p *Tracer) injects(call ssa.Instruction, callee *ssa.Function) bool {
	return p.Prog.IsTest(call.Pos()) && (callee == nil || !p.Prog.IsTest(callee.Pos()))
}

// withoutInjected returns an argument of an event with the constant times
// unknown that are not the callee's own: a test injects them where production
// has a clock. Of a filter or option with such a time in it nothing is known.
func withoutInjected(op string, v, own *value.Value) *value.Value {
	known := map[string]bool{}
	own.Walk(func(w *value.Value) {
		if isFixed(w) {
			known[w.String()] = true
		}
	})
	var visit func(w *value.Value) *value.Value
	visit = func(w *value.Value) *value.Value {
		if isFixed(w) && !known[w.String()] {
			return w.Forgotten(eval.Injected)
		}
		c := *w
		c.Args = nil
		for _, a := range w.Args {
			c.Args = append(c.Args, visit(a))
		}
		return &c
	}
	out := visit(v)
	if v.Class == value.NoClass && (op == btapi.ReadRow || op == btapi.ReadRows) && out.Has(func(w *value.Value) bool { return w.Kind == value.Unknown && w.Name == eval.Injected }) {
		return value.UnknownFor("a filter with a time that a test injects").At(v.Expr)
	}
	return out
}

func isFixed(v *value.Value) bool {
	if v.Kind != value.Call || !fixedTimes[v.Name] {
		return false
	}
	return !v.Has(func(w *value.Value) bool { return w.Kind == value.Param || w.ReadsClock() })
}

// A command that opens a store only to read leaves out of its configuration
// what the store's writes need: a field that is left out says nothing of methods that
// it may not call.

// opens reports whether a call in a command makes an object of another package's
// type.
func (p *Tracer) opens(call ssa.CallInstruction) bool {
	results := call.Common().Signature().Results()
	if p.Prog.Pass.Pkg.Name() != "main" || results.Len() == 0 {
		return false
	}
	name := kind.StructName(types.NewPointer(kind.Deref(results.At(0).Type())))
	return name != nil && !p.Prog.Owns(name)
}

// withoutLeftOut returns an argument of what a constructor's objects do, with
// the fields unknown that the call leaves out of a struct that it gives.
func withoutLeftOut(v *value.Value, args *memory.Arguments) *value.Value {
	return v.Rewrite(func(w *value.Value) *value.Value {
		var path []string
		f := w.Base()
		for ; f.Kind == value.Field; f = f.Args[0].Base() {
			path = append([]string{value.FieldName(f.Name)}, path...)
		}
		if len(path) == 0 {
			return nil
		}
		if f.Kind != value.Param || args.At(int(f.Num)) == nil || !args.LeavesOut(int(f.Num), path) {
			return w
		}
		return w.Forgotten("a field that is left out, of what a command makes")
	})
}
