package uses

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
)

// ObjectsOf reports whether the objects that a call fills from a row which it is
// given, or reads, are checked by hand: what it returns, what its arguments point to,
// and what it passes to the functions that it is given.
func (p *Comparison) ObjectsOf(call ssa.CallInstruction) bool {
	p.filler = call
	if v, ok := call.(*ssa.Call); ok && p.madeBy(v) {
		return true
	}
	common := call.Common()
	args := common.Args
	if common.IsInvoke() {
		args = append([]ssa.Value{common.Value}, args...)
	}
	for _, a := range args {
		a = kind.Stripped(a)
		if _, ok := a.Type().Underlying().(*types.Signature); ok {
			if p.passedTo(a, 3) {
				return true
			}
			continue
		}
		if !kind.IsPointer(a.Type()) {
			continue
		}
		for _, f := range p.timesIn(a.Type()) {
			if p.Filled(a, f, 6) {
				return true
			}
		}
	}
	return false
}

// madeBy is ObjectsOf for what a call returns.
func (p *Comparison) madeBy(call *ssa.Call) bool {
	results := []ssa.Value{call}
	if _, ok := call.Type().(*types.Tuple); ok {
		results = nil
		for _, r := range *call.Referrers() {
			if e, ok := r.(*ssa.Extract); ok {
				results = append(results, e)
			}
		}
	}
	for _, r := range results {
		if kind.Yielded(r.Type()) != nil && p.loopedOver(r) {
			return true
		}
		for _, f := range p.timesIn(r.Type()) {
			if p.Part(r, f, 6) {
				return true
			}
		}
	}
	return false
}

// loopedOver is ObjectsOf for what an iterator yields to loops.
func (p *Comparison) loopedOver(iterator ssa.Value) bool {
	for _, r := range *iterator.Referrers() {
		loop, ok := r.(ssa.CallInstruction)
		if !ok || loop.Common().Value != iterator {
			continue
		}
		for _, body := range loop.Common().Args {
			if p.passedTo(body, 1) {
				return true
			}
		}
	}
	return false
}

// passedTo is ObjectsOf for what is passed to a function.
func (p *Comparison) passedTo(v ssa.Value, depth int) bool {
	var fn *ssa.Function
	switch v := v.(type) {
	case *ssa.ChangeType:
		return p.passedTo(v.X, depth)
	case *ssa.MakeClosure:
		fn = v.Fn.(*ssa.Function)
	case *ssa.Function:
		fn = v
	case *ssa.Parameter:
		for _, a := range p.arguments(v) {
			if depth > 0 && p.passedTo(a, depth-1) {
				return true
			}
		}
		return false
	default:
		return false
	}
	if kind.IsBound(fn) {
		if decl := p.Pkg.Prog.FuncValue(kind.Object(fn)); decl != nil {
			fn = decl
		}
	}
	fn = kind.Origin(fn)
	if !p.HasBody(fn) {
		return false
	}
	for _, param := range fn.Params {
		for _, f := range p.timesIn(param.Type()) {
			if p.Part(param, f, 6) {
				return true
			}
		}
	}
	return false
}
