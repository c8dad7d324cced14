package eval

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/memory"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Function literals that a function returns or stores hold what they captured:
// what they return is written over the parameters of the functions in which
// they stand, so that it is known where those are, in other packages too.

// maxReturned bounds the results of a literal that are carried with it.
const maxReturned = 4

// literal returns a function literal with what it returns, an iterator with
// what it yields, or f where that is not known.
func (p *Evaluator) literal(f *value.Value, fn *ssa.Function) *value.Value {
	var cases []summary.ResultCase
	if fn.Parent() != nil {
		cases = p.yields(fn)
	}
	iterates := len(cases) > 0
	if res := fn.Signature.Results(); len(cases) == 0 {
		if fn.Parent() != nil && kind.TakesCells(fn.Signature) {
			f.Name = literalName(fn) // by which other packages know whether it checks them
		}
		if fn.Parent() == nil || res.Len() == 0 || kind.IsBool(res.At(0).Type()) || !memory.Meaningful(res.At(0).Type(), 3) {
			return f
		}
		cases = p.ResultsOf(fn)
	}
	f.Name = literalName(fn)
	var results []*value.Value
	for _, c := range cases {
		if len(results) == maxReturned || len(c.Guards) > 0 && !captures(cases, fn) {
			return f
		}
		if v := returnedBy(c); v.Kind == value.Unknown || ownObjects(v, iterates) {
			return f
		}
		results = append(results, returnedWhen(c).Subst(func(leaf *value.Value) *value.Value {
			if leaf.Kind != value.Param || leaf.Site != any(kind.Origin(fn)) {
				return nil
			}
			return value.ArgumentOf(f.Name, int(leaf.Num), leaf.Class)
		}))
	}
	if len(results) == 0 {
		return f
	}
	return value.Literal(f, results)
}

// captures reports whether what a literal returns hangs on the parameters of a
// function in which it stands: each call of that makes another function.
func captures(cases []summary.ResultCase, fn *ssa.Function) bool {
	hangs := func(v *value.Value) bool {
		return v.Has(func(w *value.Value) bool { return w.Kind == value.Param && w.Site != any(kind.Origin(fn)) })
	}
	return slices.ContainsFunc(cases, func(c summary.ResultCase) bool {
		return slices.ContainsFunc(c.Values, hangs) || slices.ContainsFunc(c.Guards, func(g summary.Guard) bool { return hangs(g.Cond) })
	})
}

// literalName is unique to a literal, also where its package is not known.
func literalName(fn *ssa.Function) string {
	if pkg := kind.Outermost(fn).Pkg; pkg != nil {
		return pkg.Pkg.Path() + "." + fn.Name()
	}
	return fn.Name()
}

// returnedBy returns what a function returns in one case: a value, or a tuple.
func returnedBy(c summary.ResultCase) *value.Value {
	if len(c.Values) == 1 {
		return c.Values[0]
	}
	return &value.Value{Kind: value.Tuple, Args: c.Values}
}

// returnedWhen is the same with the conditions of the case.
func returnedWhen(c summary.ResultCase) *value.Value {
	v := returnedBy(c)
	for _, g := range c.Guards {
		v = value.ReturnedWhen(v, g.Cond, g.Want)
	}
	return v
}

// ownObjects reports whether a mutation or a row comes to be in a value: each call
// makes its own. Of the rows of an iterator it is the call that makes the iterator.
func ownObjects(v *value.Value, iterates bool) bool {
	return v.Has(func(w *value.Value) bool {
		return w.Kind == value.Call && kind.Makers[w.Name] && w.Name != kind.Given && !(iterates && w.Is(kind.Row)) || w.Lazy != nil
	})
}

// literalResult resolves the call of a literal, or of an object's method, that
// carries what it returns; nil of anything else.
func (p *Path) literalResult(v *ssa.Call) *value.Value {
	f := p.Way.Eval(v.Call.Value, v).Base()
	if v.Call.IsInvoke() {
		if f = f.Method(v.Call.Method.Name()); f == nil {
			return nil
		}
	}
	var args []*value.Value
	for _, a := range v.Call.Args {
		args = append(args, p.Reader.Argument(a, v))
	}
	returns := f.Returns(args)
	if len(returns) == 0 {
		return nil
	}
	r := p.Settler.OneOf(returns, v, v)
	if Edited(r) != "" { // each call makes its own; a row is made by the read, whoever pulls it
		fn, _ := f.Site.(*ssa.Function)
		r = p.p.Prog.Sites.Resited(r, v, fn)
	}
	return r.At(p.p.Prog.Syntax.Expr(v.Pos()))
}
