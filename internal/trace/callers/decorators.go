package callers

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/memory"
)

// A decorator passes the calls of an interface's method on to another object, which
// may be one too. What a call does of which it is known what stands around what is what
// the innermost object's method does, with that as its receiver.

// wraps reports whether a call may run the method of a decorator.
func (p *Tracer) wraps(call ssa.CallInstruction) bool {
	return slices.ContainsFunc(p.Prog.Behind.Implementations(call.Common()), p.Prog.Decorates)
}

// undecorated returns the arguments with which an effect of a function happens at a
// call: those of the innermost object, if it is that one's. It reports false where it
// is another's.
func (p *Tracer) undecorated(call ssa.CallInstruction, callee *ssa.Function, effect *effect, args *memory.Arguments) (*memory.Arguments, bool) {
	if !call.Common().IsInvoke() || callee == nil || args.At(0) == nil {
		return args, true
	}
	object, method := p.receivers.Innermost(call, args.At(0))
	switch {
	case method == nil:
		return args, !effect.ifBehind
	case method != callee && p.Prog.Decorates(callee):
		return args, true
	case method == callee && object != args.At(0):
		return args.Instead(object), true
	}
	return args, !effect.ifBehind
}
