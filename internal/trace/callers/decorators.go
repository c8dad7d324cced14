package callers

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/memory"
	"github.com/ttlvet/ttlvet/internal/value"
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

// maxDecorators bounds the decorators around an object.
const maxDecorators = 8

// Innermost returns the object to which the receiver of a call of an interface's
// method passes that on, by way of others, and the method that is run of it; nil where
// that is not known.
func (p *Receivers) Innermost(call ssa.CallInstruction, recv *value.Value) (object *value.Value, method *ssa.Function) {
	for range maxDecorators {
		m := p.prog.Names.MethodOf(recv, call.Common().Method)
		if m == nil {
			return nil, nil
		}
		fn := p.prog.Pkg.Prog.FuncValue(m)
		if fn == nil {
			return nil, nil
		}
		if fn = kind.Origin(fn); !p.prog.Decorates(fn) {
			return recv, fn
		}
		t := kind.Deref(fn.Signature.Recv().Type())
		for _, step := range p.prog.PassesTo(fn) {
			if step < 0 {
				return nil, nil // an element of an array
			}
			field := kind.StructField(t, step)
			if field == nil {
				return nil, nil
			}
			recv = value.FieldOf(recv, kind.FieldKey(field, t), value.NoClass)
			t = kind.Deref(field.Type())
		}
	}
	return nil, nil
}

// Dispatches reports whether a call runs one of several functions.
func (p *Tracer) Dispatches(call ssa.CallInstruction) bool {
	common := call.Common()
	if common.IsInvoke() || common.StaticCallee() != nil {
		return false
	}
	return len(p.Eval.Targets(call)) > 1
}

// derivable reports whether an effect of a method is one of a call of an
// interface's method that may run it.
func (p *Tracer) derivable(call ssa.CallInstruction, owned ownedEffect) bool {
	if p.Prog.Decorates(owned.fn) {
		return !p.nested(call, owned.fn)
	}
	return p.agree(p.Prog.Behind.Implementations(call.Common()), owned.effect)
}

// nested reports whether a method that passes calls on to another object is
// called by one that does so too. They are left out of each other, which would
// have no end: what is behind all of them is found in any of them.
func (p *Tracer) nested(call ssa.CallInstruction, fn *ssa.Function) bool {
	return p.Prog.Decorates(fn) && p.Prog.Decorates(kind.Outermost(call.Parent()))
}

// agree reports whether all the types that a call of an interface's method
// can run have the effect: what they do is then known without knowing which
// of them it is. Those that pass the call on to another have the other's.
func (p *Tracer) agree(fns []*ssa.Function, e *effect) bool {
	key := effectKey(e)
	for _, fn := range fns {
		if !p.effectKeys[fn][key] && !p.Prog.Decorates(fn) {
			return false
		}
	}
	return true
}
