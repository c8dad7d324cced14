package callers

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/event"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// ownerOf returns the function on whose callers a case depends: the one
// whose parameters occur in it, or, of a case that befalls a mutation which
// its function returns, that function. It returns nil when the case depends
// on nobody, or on several.
func (p *Tracer) ownerOf(op string, c summary.Case, fn *ssa.Function) *ssa.Function {
	owner, mixed := owners(op, c)
	if mixed {
		return nil
	}
	if owner == nil {
		for _, a := range c.Args {
			if id := kind.Root(a); id != "" && p.isReturned(fn, id) {
				if a.Base().Is(kind.Given) {
					return kind.Outermost(fn) // which makes the literal
				}
				return fn
			}
		}
	}
	return owner
}

// owners returns the function whose parameters occur in a case, nil where none
// do, and whether those of several do.
func owners(op string, c summary.Case) (owner *ssa.Function, mixed bool) {
	visit := func(v *value.Value) {
		v.Walk(func(w *value.Value) {
			if w.Kind != value.Param {
				return
			}
			f, ok := w.Site.(*ssa.Function)
			switch {
			case !ok:
				mixed = true
			case owner == nil || kind.Within(f, owner):
				owner = f // a literal's parameters are bound before its function's
			case owner != f && !kind.Within(owner, f):
				mixed = true
			}
		})
	}
	for _, a := range event.OwnArgs(op, c.Args) {
		visit(a)
	}
	for _, g := range c.Guards {
		visit(g.Cond)
	}
	return owner, mixed
}

// isReturned reports whether the function returns the mutation that was made
// at a site.
func (p *Tracer) isReturned(fn *ssa.Function, id string) bool {
	if fn.Parent() != nil {
		fn = kind.Outermost(fn)
	}
	if !slices.ContainsFunc(slices.Collect(fn.Signature.Results().Variables()), mayHoldMutation) {
		return false // to resolve the results costs more than to see that
	}
	return slices.ContainsFunc(p.Eval.ResultsOf(fn), func(c summary.ResultCase) bool {
		return slices.ContainsFunc(c.Values, func(v *value.Value) bool {
			return v.Has(func(w *value.Value) bool { return kind.Root(w) == id })
		})
	})
}

// mayHoldMutation reports whether a result of that type may be, or lead to, a
// mutation.
func mayHoldMutation(r *types.Var) bool {
	_, basic := r.Type().Underlying().(*types.Basic)
	return !basic && !kind.IsError(r.Type())
}

// without returns a case with the parameters of some functions unknown.
func without(c summary.Case, reason string, some func(*ssa.Function) bool) summary.Case {
	return c.With(unknownOf(reason, some))
}

// unknownOf returns what makes the parameters of some functions in a value unknown.
func unknownOf(reason string, some func(*ssa.Function) bool) func(*value.Value) *value.Value {
	return func(a *value.Value) *value.Value {
		return a.Subst(func(leaf *value.Value) *value.Value {
			if f, _ := leaf.Site.(*ssa.Function); leaf.Kind == value.Param && some(f) {
				return leaf.Forgotten(reason)
			}
			return nil
		})
	}
}

// ofFunction reports whether a function is another one, or a literal in it.
func ofFunction(fn *ssa.Function) func(*ssa.Function) bool {
	return func(f *ssa.Function) bool { return f != nil && kind.Outermost(f) == kind.Outermost(fn) }
}

// withoutUncalled returns a case with the parameters of function literals
// that nobody in view calls unknown: what the function that makes the literal
// is given reaches the event all the same.
func (p *Tracer) withoutUncalled(c summary.Case) summary.Case {
	edited := c.With(func(a *value.Value) *value.Value {
		return a.Subst(func(leaf *value.Value) *value.Value {
			f, ok := leaf.Site.(*ssa.Function)
			if !ok || leaf.Kind != value.Param {
				return nil
			}
			if i, edit := kind.EditOf(f); edit && i == int(leaf.Num) && p.editOnly(c, f, leaf.Num) {
				return p.Eval.GivenTo(f)
			}
			return nil
		})
	})
	return without(edited, "a parameter of a function literal", p.uncalled)
}

// uncalled reports whether a function is a literal that no call expression in view calls:
// a loop over an iterator gives it nothing but its body.
func (p *Tracer) uncalled(f *ssa.Function) bool {
	return f != nil && f.Parent() != nil && !slices.ContainsFunc(p.Prog.Callers[f], func(call ssa.CallInstruction) bool {
		return p.Prog.Syntax.Calls[call.Common().Pos()] != nil
	})
}

// withoutOwn returns a case with the parameters of its own function unknown:
// what a constructor supplies does not hang on who calls the method. What that decides
// stays open.
func withoutOwn(op string, c summary.Case, fn *ssa.Function) summary.Case {
	unknown := unknownOf(value.Unsupplied, ofFunction(fn))
	c = c.With(func(a *value.Value) *value.Value {
		return unknown(a).Rewrite(func(v *value.Value) *value.Value {
			switch {
			case v.Kind == value.Struct && v.Lazy == nil:
				return nil // each field by itself
			case withoutClocks(v).AwaitsOthers() && !v.HasParams():
				// Of what the method is given alone, its callers are told: there may be none.
				return v.Forgotten(value.Unsupplied)
			}
			return v
		})
	})
	c.Guards = slices.Clone(c.Guards)
	for i, g := range c.Guards {
		c.Guards[i].Cond = unknown(g.Cond)
	}
	supplies := len(c.Args) > 0 && slices.ContainsFunc(c.Args[1:], (*value.Value).HasParams) // something beside the table or mutation
	reads := op == btapi.ReadRow || op == btapi.ReadRows
	if len(c.Args) > 0 && c.Args[0].HasParams() && !(reads && supplies) {
		// Which table or mutation it is says nothing of what is done to it:
		// the method may never be called.
		c.Args[0] = value.UnknownFor("what a constructor was given")
	}
	return c
}

// ofOneRun returns a case, of an event in fn, that hangs on the parameters of
// several functions as what it is to the callers of one: of which client a table
// is does not matter, and what others than fn were given is not known. A package
// variable that one function assigns and another reads brings the parameters of the
// first into the cases of the second: a client that an Init function makes for the
// context that it is given.
func ofOneRun(op string, c summary.Case, fn *ssa.Function) summary.Case {
	if _, mixed := owners(op, c); !mixed {
		return c
	}
	c = c.With(kind.OfAnyClient)
	own := ofFunction(fn)
	of := without(c, "a parameter of another function", func(f *ssa.Function) bool { return !own(f) })
	if _, mixed := owners(op, c); !mixed || !slices.ContainsFunc(of.Args, (*value.Value).HasParams) {
		return c
	}
	return of
}

// supplied lists the cases of an event that hang, by way of a field, on what a
// constructor is given, and the others that happen only under a condition: which of
// them do, whoever calls the constructor does not say.
func (p *Tracer) supplied(e *event.Event) (out, beside []summary.Case) {
	chosen := map[*ssa.Function]map[string]bool{} // what the conditions of a constructor choose among
	conditions := map[*ssa.Function]map[string]bool{}
	gives := map[*ssa.Function]bool{}
	for _, c := range e.Cases {
		c = ofOneRun(e.Op, withoutOwn(e.Op, c, e.In), e.In)
		if event.Applies(e.Op) && c.Args[0].Kind == value.Unknown {
			continue // to a table that only the method's callers know
		}
		owner := p.ownerOf(e.Op, c, e.In)
		if owner == nil || kind.Outermost(owner) == kind.Outermost(e.In) {
			if len(c.Guards) > 0 {
				beside = append(beside, c)
			}
			continue
		}
		if chosen[owner] == nil {
			chosen[owner], conditions[owner] = map[string]bool{}, map[string]bool{}
		}
		for _, a := range event.OwnArgs(e.Op, c.Args) {
			gives[owner] = gives[owner] || a.HasParams()
		}
		if len(c.Args) > 0 {
			chosen[owner][summary.ArgString(event.OwnArgs(e.Op, c.Args)[1:])] = true
		}
		conditions[owner][summary.GuardString(c.Guards)] = true
		out = append(out, c)
	}
	// What is the same whichever way a constructor's conditions go is not the
	// constructor's.
	kept := out[:0]
	for _, c := range out {
		owner := p.ownerOf(e.Op, c, e.In)
		if gives[owner] || len(chosen[owner]) != 1 || len(conditions[owner]) < 2 {
			kept = append(kept, c)
		}
	}
	return kept, beside
}

// methods lists the methods by which others come to an event of the object that a
// constructor makes; none where that is not known.
func (p *Tracer) methods(e *event.Event, maker *ssa.Function) []string {
	if e.ViaField {
		return nil // of an object in the one that it makes
	}
	return p.objects.Leading(maker, kind.Outermost(e.In))
}
