package callers

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/event"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
)

// Dispatches reports whether a call runs a function that is looked up, or one
// of several.
func (p *Tracer) Dispatches(call ssa.CallInstruction) bool {
	common := call.Common()
	if common.IsInvoke() || common.StaticCallee() != nil {
		return false
	}
	return lookedUpIn(common.Value) || len(p.Eval.Targets(call)) > 1
}

// lookedUpIn reports whether a function is an element of a map or list, or a
// field of one.
func lookedUpIn(v ssa.Value) bool {
	for {
		switch x := v.(type) {
		case *ssa.Lookup, *ssa.IndexAddr, *ssa.Index:
			return true
		case *ssa.Extract:
			if _, ranged := x.Tuple.(*ssa.Next); ranged {
				return true
			}
			v = x.Tuple
		case *ssa.Field:
			v = x.X
		case *ssa.FieldAddr:
			v = x.X
		case *ssa.UnOp:
			v = x.X
		default:
			return false
		}
	}
}

// derivable reports whether an effect of a method is one of a call of an
// interface's method that may run it.
func (p *Tracer) derivable(call ssa.CallInstruction, owned ownedEffect) bool {
	if p.Prog.Decorates(owned.fn) {
		return !p.nested(call, owned.fn)
	}
	return p.agree(p.Prog.Implementations(call.Common()), owned.effect)
}

// dispatched reports whether a callback calls an interface's method of which it is known,
// by the types that implement it, what it does.
func (p *Tracer) dispatched(callback *event.Event) bool {
	for callback.Source != nil {
		callback = callback.Source
	}
	call, ok := callback.Instr.(ssa.CallInstruction)
	if !ok {
		return false
	}
	impls := p.Prog.Implementations(call.Common())
	return slices.ContainsFunc(impls, func(fn *ssa.Function) bool {
		return slices.ContainsFunc(p.effects[fn], func(e effect) bool { return e.Op != event.Callback && p.agree(impls, e) })
	})
}

// nested reports whether a method that passes calls on to another object is
// called by one that does so too. They are left out of each other, which would
// have no end: what is behind all of them is found in any of them.
func (p *Tracer) nested(call ssa.CallInstruction, fn *ssa.Function) bool {
	return p.Prog.Decorates(fn) && p.Prog.Decorates(kind.Outermost(call.Parent()))
}

// agree reports whether all the types that a call of an interface's method
// can run have the effect: what they do is then known without knowing which
// of them it is. Those that pass the call on to another have the other's, and those that
// keep things in memory do nothing to Bigtable, where none does that.
func (p *Tracer) agree(fns []*ssa.Function, e effect) bool {
	key, decorated := effectKey(e), slices.ContainsFunc(fns, p.Prog.Decorates)
	for _, fn := range fns {
		if !p.effectKeys[fn][key] && !p.Prog.Decorates(fn) && (decorated || !p.inMemory(fn)) {
			return false
		}
	}
	return true
}

// inMemory reports whether a function has nothing but data to work with, and does
// nothing to Bigtable.
func (p *Tracer) inMemory(fn *ssa.Function) bool {
	for v := range fn.Signature.Results().Variables() {
		if !kind.IsData(v.Type()) && !kind.IsError(v.Type()) {
			return false
		}
	}
	return len(p.effects[fn]) == 0 && !slices.ContainsFunc(fn.Params, func(param *ssa.Parameter) bool {
		return !kind.IsData(param.Type()) && types.TypeString(param.Type(), nil) != "context.Context"
	})
}
