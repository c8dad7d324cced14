package uses

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
)

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
	if maker == nil || kind.Yielded(literal.Signature) == nil || !kind.Returns(maker, literal) {
		return false
	}
	for _, c := range f.p.Callers[kind.Origin(maker)] {
		if iterator, ok := c.(*ssa.Call); ok {
			f.add(iterator)
		}
	}
	return true
}
