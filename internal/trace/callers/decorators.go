package callers

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
)

// Dispatches reports whether a call runs one of several functions.
func (p *Tracer) Dispatches(call ssa.CallInstruction) bool {
	common := call.Common()
	if common.IsInvoke() || common.StaticCallee() != nil {
		return false
	}
	return len(p.Eval.Targets(call)) > 1
}

// A decorator passes the calls of an interface's method on to another object, which may
// be one too: what a call does is then what the object behind it does.

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
