package trace

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// ownerOf returns the function on whose callers a case depends: the one
// whose parameters occur in it, or, of a case that befalls a mutation which
// its function returns, that function. It returns nil when the case depends
// on nobody, or on several.
func (p *program) ownerOf(op string, c Case, fn *ssa.Function) *ssa.Function {
	var owner *ssa.Function
	mixed := false
	visit := func(v *value.Value) {
		v.Walk(func(w *value.Value) {
			if w.Kind != value.Param {
				return
			}
			f, ok := w.Site.(*ssa.Function)
			switch {
			case !ok:
				mixed = true
			case owner == nil || within(f, owner):
				owner = f // a literal's parameters are bound before its function's
			case owner != f && !within(owner, f):
				mixed = true
			}
		})
	}
	for _, a := range own(op, c.Args) {
		visit(a)
	}
	for _, g := range c.Guards {
		visit(g.Cond)
	}
	if mixed {
		return nil
	}
	if owner == nil {
		for _, a := range c.Args {
			if id := Root(a); id != 0 && p.isReturned(fn, id) {
				return fn
			}
		}
	}
	return owner
}

// within reports whether f is a function literal in g, however deep.
func within(f, g *ssa.Function) bool {
	for f != nil {
		if f = f.Parent(); f == g && f != nil {
			return true
		}
	}
	return false
}

// isReturned reports whether the function returns the mutation that was made
// at a site.
func (p *program) isReturned(fn *ssa.Function, id int64) bool {
	if fn.Parent() != nil {
		fn = outermost(fn)
	}
	for _, c := range p.resultsOf(fn) {
		for _, v := range c.Values {
			found := false
			v.Walk(func(w *value.Value) { found = found || Root(w) == id })
			if found {
				return true
			}
		}
	}
	return false
}

// withoutUncalled returns a case with the parameters of function literals
// that nobody in view calls unknown: what the function that makes the literal
// is given reaches the event all the same.
func (p *program) withoutUncalled(c Case) Case {
	forget := func(leaf *value.Value) *value.Value {
		f, ok := leaf.Site.(*ssa.Function)
		if !ok || leaf.Kind != value.Param || f.Parent() == nil || len(p.callers[f]) > 0 {
			return nil
		}
		u := unknown("a parameter of a function literal")
		u.Class = leaf.Class
		return u
	}
	args := make([]*value.Value, len(c.Args))
	for i, a := range c.Args {
		args[i] = a.Subst(forget)
	}
	c.Args = args
	return c
}

// withoutOwn returns a case with the parameters of its own function unknown:
// what a constructor supplies does not hang on who calls the method.
func (p *program) withoutOwn(c Case, fn *ssa.Function) Case {
	own := outermost(fn)
	forget := func(leaf *value.Value) *value.Value {
		if f, ok := leaf.Site.(*ssa.Function); ok && leaf.Kind == value.Param && outermost(f) == own {
			u := unknown("a parameter")
			u.Class = leaf.Class
			return u
		}
		return nil
	}
	args := make([]*value.Value, len(c.Args))
	for i, a := range c.Args {
		args[i] = a.Subst(forget)
		if i == 0 && args[i].HasParams() {
			// Which table or mutation it is says nothing of what is done to
			// it: the method may never be called.
			args[i] = unknown("what a constructor was given")
		}
	}
	c.Args = args
	return c
}
