package rowuse

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/trace/kind"
)

// iterated follows rows that a function literal passes to its i-th parameter,
// where its function returns the literal, as iterators do: into the bodies of
// the loops that range over what callers in view get. It reports whether all
// of that was followed.
func (u *useFinder) iterated(literal *ssa.Function, i int) bool {
	maker := literal.Parent()
	if maker == nil || !returns(maker, literal) {
		return false
	}
	callers := u.p.Callers[kind.Origin(maker)]
	for _, call := range callers {
		iterator, ok := call.(*ssa.Call)
		if !ok || !u.ranges(iterator, i) {
			return false
		}
	}
	return len(callers) > 0
}

// returns reports whether a function returns a literal in it.
func returns(fn, literal *ssa.Function) bool {
	for _, b := range fn.Blocks {
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok {
			continue
		}
		for _, r := range ret.Results {
			if converted, ok := r.(*ssa.ChangeType); ok {
				r = converted.X
			}
			if mc, ok := r.(*ssa.MakeClosure); ok && mc.Fn == literal || r == ssa.Value(literal) {
				return true
			}
		}
	}
	return false
}

// ranges follows what is done with an iterator: it is called with the bodies
// of loops.
func (u *useFinder) ranges(iterator ssa.Value, i int) bool {
	for _, r := range *iterator.Referrers() {
		switch r := r.(type) {
		case *ssa.ChangeType:
			if !u.ranges(r, i) {
				return false
			}
		case ssa.CallInstruction:
			common := r.Common()
			if common.Value != iterator || i >= len(common.Args) {
				return false
			}
			u.callback(common.Args[i])
		default:
			return false
		}
	}
	return true
}

// ranged follows the cells that an iterator yields into the body of the loop
// over it.
func (f *cellFinder) ranged(loop *ssa.CallCommon) {
	for _, a := range loop.Args {
		body, ok := a.(*ssa.MakeClosure)
		if !ok {
			f.lost = true
			continue
		}
		for _, param := range body.Fn.(*ssa.Function).Params {
			if kind.CarriesCells(param.Type()) {
				f.add(param)
			}
		}
	}
}

// yielded follows a cell that an iterator passes to the function that it is
// given: the callers of the function that makes the iterator range over it. It
// reports whether the call is one of an iterator.
func (f *cellFinder) yielded(call ssa.CallInstruction) bool {
	literal := call.Parent()
	for kind.IsRangeBody(literal) {
		literal = literal.Parent()
	}
	maker := literal.Parent()
	if maker == nil || kind.Yielded(literal.Signature) == nil || !returns(maker, literal) {
		return false
	}
	for _, c := range f.p.Callers[kind.Origin(maker)] {
		if iterator, ok := c.(*ssa.Call); ok {
			f.add(iterator)
		}
	}
	return true
}
