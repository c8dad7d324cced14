package uses

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
)

// Rows, and the names that helpers make of cells, may come from an iterator. What is
// done with them is done in the bodies of the loops over it.

// yields reports whether a call passes something on to the loops over the iterator
// that a function returns whose results are followed where it is called.
func (p *Sweeps) yields(call *ssa.CallCommon) bool {
	yield := p.ParamOf(call.Value)
	if yield == nil {
		return false
	}
	literal := yield.Parent()
	maker := literal.Parent()
	return maker != nil && p.followed[kind.Origin(maker)] && kind.Yielded(literal.Signature) != nil && kind.Returns(maker, literal)
}

// loopsName reports whether a loop over an iterator uses what that yields only to
// name what it deletes. Its cells are looked at where the body of the loop is.
func (p *Sweeps) loopsName(loop *ssa.Call, depth int) bool {
	body := p.body(loop)
	if body == nil {
		return false
	}
	for _, param := range body.Params {
		if !tellsNothing(param.Type()) && !p.onlyNamesDeleted(param, depth-1) {
			return false
		}
	}
	return true
}

// body returns the body of a loop over an iterator; nil of other calls.
func (p *Sweeps) body(loop ssa.CallInstruction) *ssa.Function {
	if len(loop.Common().Args) != 1 {
		return nil
	}
	fn := p.function(loop.Common().Args[0])
	if fn == nil || !kind.IsRangeBody(fn) {
		return nil
	}
	return fn
}

// maxLoops bounds the functions through which an iterator goes to its loops.
const maxLoops = 4

// Loops reports whether there are loops over the iterator over rows that a call
// returns, and all of them use cells only to delete them.
func (p *Sweeps) Loops(call ssa.CallInstruction) bool {
	if call.Value() == nil {
		return false
	}
	loops, all := p.loops(call.Value(), maxLoops)
	return loops && all
}

// loops reports whether there are loops over an iterator, or over that among
// several results, and whether those are all that is done with it and use cells
// only to delete them.
func (p *Sweeps) loops(iterator ssa.Value, depth int) (some, all bool) {
	if depth == 0 || iterator.Referrers() == nil {
		return false, false
	}
	all = true
	add := func(more, only bool) { some, all = some || more, all && only }
	for _, r := range *iterator.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.ChangeType:
			add(p.loops(r, depth))
		case *ssa.Extract:
			if kind.Yielded(r.Type()) != nil {
				add(p.loops(r, depth))
			}
		case *ssa.Return:
			for _, call := range p.Callers[kind.Origin(r.Parent())] {
				if v := call.Value(); v != nil && !p.IsTest(call.Pos()) {
					add(p.loops(v, depth-1))
				}
			}
		case ssa.CallInstruction:
			add(p.loopsOf(r, iterator, depth))
		default:
			return some, false
		}
	}
	return some, all
}

// loopsOf does the same of a call: a loop over an iterator, or one of a function
// that it is given to.
func (p *Sweeps) loopsOf(call ssa.CallInstruction, iterator ssa.Value, depth int) (some, all bool) {
	if call.Common().Value == iterator {
		body := p.body(call)
		return true, body != nil && p.ofRows(body)
	}
	t, ok := p.Target(call.Common())
	if !ok || t.Fn == nil {
		return false, false
	}
	for i, a := range t.Args {
		if a == iterator && i < len(t.Fn.Params) {
			return p.loops(t.Fn.Params[i], depth-1)
		}
	}
	return false, false
}
