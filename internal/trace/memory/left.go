package memory

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/value"
)

// What a function stores by way of a pointer that it is given is what is there when it returns:
// over its parameters, and together with its results.

// Leaves resolves what a function leaves where a parameter points to when it returns.
func (p *Reader) Leaves(param *ssa.Parameter, ret *ssa.Return) *value.Value {
	place := p.p.Prog.Heap().Place(param)
	for _, call := range p.p.Prog.Calls[ret.Parent()] {
		if d, ok := call.(*ssa.Defer); ok && place.Written(d) {
			return value.UnknownFor("what a deferred call stores")
		}
	}
	return p.Load(param, ret)
}

// left returns what a call leaves where one of its arguments points to.
func (p *Reader) left(at ssa.Instruction, param int) *value.Value {
	call, ok := at.(*ssa.Call)
	turn := leftBefore{call, param}
	if !ok || p.leaving[turn] { // or what the call has left the time before
		return value.UnknownFor(writtenByCall)
	}
	p.leaving[turn] = true
	defer delete(p.leaving, turn)
	return p.settle.Left(call, param)
}

// A leftBefore is what a call leaves where an argument points to, which may hang on what was
// there before.
type leftBefore struct {
	call  *ssa.Call
	param int
}
