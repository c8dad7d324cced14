package uses

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/heap"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Steady reports whether a value is certainly the same in every turn.
func (t *Turn) Steady(v ssa.Value) bool {
	is, known := t.known[v]
	if !known {
		is = t.steady(v)
		t.known[v] = is
	}
	return is
}

func (t *Turn) steady(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Const, *ssa.Global, *ssa.Function, *ssa.Builtin:
		return true
	case *ssa.Parameter:
		if a, ok := t.given[v]; ok {
			return t.Steady(a)
		}
		if v.Parent() == t.fn {
			return t.header != nil
		}
		return !kind.Within(v.Parent(), t.fn)
	case *ssa.FreeVar:
		b := t.p.prog.Binding(v)
		return b != nil && t.Steady(b)
	}
	instr, ok := v.(ssa.Instruction)
	if !ok {
		return false
	}
	if !t.inside(instr) {
		return true
	}
	switch v := v.(type) {
	case *ssa.UnOp:
		switch v.Op {
		case token.MUL:
			return t.Steady(v.X) && !t.written(t.p.prog.Heap().Place(v.X))
		case token.ARROW:
			return false
		}
	case *ssa.Call:
		return t.steadyCall(v)
	case *ssa.Lookup:
		if t.written(t.p.prog.Heap().Place(v.X)) {
			return false
		}
	case *ssa.BinOp, *ssa.Convert, *ssa.MultiConvert, *ssa.ChangeType, *ssa.ChangeInterface, *ssa.MakeInterface, *ssa.Field, *ssa.FieldAddr,
		*ssa.Index, *ssa.IndexAddr, *ssa.Extract, *ssa.TypeAssert, *ssa.Slice:
	default:
		return false
	}
	for _, op := range instr.Operands(nil) {
		if *op != nil && !t.Steady(*op) {
			return false
		}
	}
	return true
}

// written reports whether something in the turn may write to a place.
func (t *Turn) written(place *heap.Place) bool {
	return slices.ContainsFunc(place.Writers(), t.inside) || slices.ContainsFunc(t.callsInside(), place.Written)
}

// callsInside lists the calls of a turn.
func (t *Turn) callsInside() []ssa.CallInstruction {
	if t.within != nil {
		return t.within
	}
	out := []ssa.CallInstruction{}
	for _, fn := range t.p.prog.Funcs {
		if fn != t.fn && !kind.Within(fn, t.fn) {
			continue
		}
		for _, call := range t.p.prog.Calls[fn] {
			if t.inside(call) {
				out = append(out, call)
			}
		}
	}
	t.within = out
	return out
}

// steadyCall reports whether a call returns the same in every turn: it is
// given the same, and its result hangs on nothing else.
func (t *Turn) steadyCall(v *ssa.Call) bool {
	for _, op := range v.Operands(nil) {
		if *op != nil && !t.Steady(*op) {
			return false
		}
	}
	if b, ok := v.Call.Value.(*ssa.Builtin); ok {
		return kind.IsExtreme(b) || b.Name() == "len"
	}
	for _, target := range t.p.eval.Targets(v) {
		var results []summary.ResultCase
		var callee *ssa.Function
		switch {
		case target.API != "":
			if !btapi.Pure(target.API) {
				return false
			}
			continue
		case target.Fn != nil:
			results, callee = t.p.eval.ResultsOf(target.Fn), target.Fn
		default:
			if s := t.p.prog.Imported(target.Obj); s != nil {
				results = s.Results.Cases()
			}
		}
		if len(results) == 0 {
			return false
		}
		for _, r := range results {
			for _, g := range r.Guards {
				if !t.SteadyValue(g.Cond, callee, target.Args) {
					return false
				}
			}
			for _, w := range r.Values {
				if !t.SteadyValue(w, callee, target.Args) {
					return false
				}
			}
		}
	}
	return len(t.p.eval.Targets(v)) > 0
}

// SteadyValue reports whether a value over a callee's parameters is the same
// in every turn. callee is nil for a function of another package; args are
// those of the call.
func (t *Turn) SteadyValue(v *value.Value, callee *ssa.Function, args []ssa.Value) bool {
	switch v.Kind {
	case value.Unknown, value.Global, value.Field:
		return false
	case value.Param:
		if callee == nil && v.Site == nil || callee != nil && isParam(v, callee) {
			return int(v.Num) < len(args) && t.Steady(args[v.Num])
		}
		fn, ok := v.Site.(*ssa.Function)
		return ok && fn != t.fn && !kind.Within(fn, t.fn)
	case value.Func:
		return true
	case value.Struct:
		return v.Lazy == nil && v.Name == ""
	case value.Call:
		if kind.Makers[v.Name] {
			site, ok := v.Site.(ssa.Instruction)
			return ok && callee != nil && kind.Within(callee, site.Parent()) && !t.inside(site)
		}
		if !value.Steady(v.Name) && !btapi.Pure(v.Name) {
			return false
		}
	}
	for _, a := range v.Args {
		if !t.SteadyValue(a, callee, args) {
			return false
		}
	}
	return true
}

// Varies reports whether a call may run another function in each turn: what one of them
// does then happens once.
func (t *Turn) Varies(at ssa.Instruction) bool {
	call, ok := at.(ssa.CallInstruction)
	return ok && len(t.p.eval.Targets(call)) > 1 && !t.Steady(call.Common().Value)
}
