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
	return slices.ContainsFunc(p.ResultsOf(fn), func(c summary.ResultCase) bool {
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

// withoutUncalled returns a case with the parameters of function literals
// that nobody in view calls unknown: what the function that makes the literal
// is given reaches the event all the same.
func (p *Tracer) withoutUncalled(c summary.Case) summary.Case {
	forget := func(leaf *value.Value) *value.Value {
		f, ok := leaf.Site.(*ssa.Function)
		if !ok || leaf.Kind != value.Param || f.Parent() == nil {
			return nil
		}
		if i, edit := kind.EditOf(f); edit && i == int(leaf.Num) && p.editOnly(c, f, leaf.Num) {
			return p.GivenTo(f)
		}
		if len(p.Callers[f]) > 0 {
			return nil
		}
		u := value.UnknownFor("a parameter of a function literal")
		u.Class = leaf.Class
		return u
	}
	return c.With(func(a *value.Value) *value.Value { return a.Subst(forget) })
}

// withoutOwn returns a case with the parameters of its own function unknown:
// what a constructor supplies does not hang on who calls the method.
func (p *Tracer) withoutOwn(op string, c summary.Case, fn *ssa.Function) summary.Case {
	own := kind.Outermost(fn)
	forget := func(leaf *value.Value) *value.Value {
		if f, ok := leaf.Site.(*ssa.Function); ok && leaf.Kind == value.Param && kind.Outermost(f) == own {
			u := value.UnknownFor("a parameter")
			u.Class = leaf.Class
			return u
		}
		return nil
	}
	args := make([]*value.Value, len(c.Args))
	supplies := false // something beside the table or mutation
	for i, a := range c.Args {
		args[i] = a.Subst(forget)
		supplies = supplies || i > 0 && args[i].HasParams()
	}
	reads := op == btapi.ReadRow || op == btapi.ReadRows
	if len(args) > 0 && args[0].HasParams() && !(reads && supplies) {
		// Which table or mutation it is says nothing of what is done to it:
		// the method may never be called.
		args[0] = value.UnknownFor("what a constructor was given")
	}
	c.Args = args
	return c
}
