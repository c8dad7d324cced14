package uses

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
)

// result follows the i-th of several values, or the only one.
func (w *forward) result(v ssa.Value, i int, several bool, field *types.Var) {
	if !several {
		w.add(v, field)
		return
	}
	for _, r := range *v.Referrers() {
		if e, ok := r.(*ssa.Extract); ok && e.Index == i {
			w.add(e, field)
		}
	}
}

// results follows those results of a call that may be or hold a thing.
func (w *forward) results(call ssa.CallInstruction, field *types.Var) {
	for _, v := range resultsOf(call) {
		if w.rules.carries(v.Type(), field) {
			w.add(v, field)
		}
	}
}

// resultsOf returns what a call returns, one by one.
func resultsOf(call ssa.CallInstruction) (out []ssa.Value) {
	v := call.Value()
	switch {
	case v == nil:
		return nil
	case !kind.IsTuple(v.Type()):
		return []ssa.Value{v}
	}
	for _, r := range *v.Referrers() {
		if e, ok := r.(*ssa.Extract); ok {
			out = append(out, e)
		}
	}
	return out
}

// toCallers follows what a function returns into the calls of it in view.
func (w *forward) toCallers(t thing, ret *ssa.Return) {
	calls, in := w.callers(ret.Parent())
	for _, call := range calls {
		for i, result := range ret.Results {
			if v := call.Value(); v != nil && result == t.v {
				w.within(in, func() { w.result(v, i, len(ret.Results) > 1, t.field) })
			}
		}
	}
}

// callers returns the calls by which what is followed may have come into a function,
// and the frame in which they stand.
func (w *forward) callers(fn *ssa.Function) ([]ssa.CallInstruction, *frame) {
	if in := w.entered(fn); in != nil {
		return []ssa.CallInstruction{in.call}, in.caller
	}
	return w.p.Callers[kind.Origin(fn)], nil
}

// called follows a thing into the body of a loop, where the call is one of an iterator
// over such, or asks the rules.
func (w *forward) called(t thing, call ssa.CallInstruction) {
	common := call.Common()
	if b, ok := common.Value.(*ssa.Builtin); ok && b.Name() == "append" && call.Value() != nil {
		w.add(call.Value(), t.field)
		return
	}
	if common.Value == t.v && !common.IsInvoke() && kind.Yielded(t.v.Type()) != nil {
		for _, body := range common.Args {
			if !w.given(body, t.field) {
				w.rules.lost(t)
			}
		}
		return
	}
	w.rules.call(t, call)
}

// given follows a thing into the parameters of a function that may be it; false where
// it is not known which function a value is.
func (w *forward) given(v ssa.Value, field *types.Var) bool {
	v, in := source(w.p, v, w.at.in.of(v))
	fn := functionOf(w.p, v)
	if fn == nil {
		return false
	}
	if mc, ok := v.(*ssa.MakeClosure); ok && kind.IsBound(mc.Fn.(*ssa.Function)) {
		in = w.frame(entry{fn: fn, caller: in}, mc.Bindings) // with this receiver
	}
	w.within(in, func() { w.into(fn, field) })
	return true
}

// into follows a thing into the parameters of a function.
func (w *forward) into(fn *ssa.Function, field *types.Var) {
	for _, param := range fn.Params {
		if w.rules.carries(param.Type(), field) {
			w.add(param, field)
		}
	}
}

// functionOf returns the function of the package that a value is, of a method value
// the method; nil where that is not known.
func functionOf(p *program.Program, v ssa.Value) *ssa.Function {
	var fn *ssa.Function
	v, _ = source(p, v, nil)
	switch f := v.(type) {
	case *ssa.MakeInterface:
		return functionOf(p, f.X)
	case *ssa.MakeClosure:
		fn = f.Fn.(*ssa.Function)
	case *ssa.Function:
		fn = f
	}
	if fn != nil && kind.IsBound(fn) {
		fn = p.Pkg.Prog.FuncValue(kind.Object(fn))
	}
	if fn == nil || !p.HasBody(kind.Origin(fn)) {
		return nil
	}
	return kind.Origin(fn)
}

// makerOf returns the function that returns the iterator whose loops a call runs; nil
// of other calls.
func makerOf(p *program.Program, call *ssa.CallCommon) *ssa.Function {
	yield := p.ParamOf(call.Value)
	if yield == nil || call.IsInvoke() {
		return nil
	}
	literal := yield.Parent()
	maker := literal.Parent()
	if maker == nil || kind.Yielded(literal.Signature) == nil || !kind.Returns(maker, literal) {
		return nil
	}
	return maker
}
