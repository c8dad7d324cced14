package eval

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/trace/kind"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/summary"
	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// An iterator is known by what it yields: as a function literal that returns
// that. Over which turns it does is of no interest.

// yields returns the combinations of values that a function literal passes to
// the function that it is given; none where it is no iterator.
func (p *Evaluator) yields(fn *ssa.Function) []summary.ResultCase {
	if kind.Yielded(fn.Signature) == nil || fn.Parent() == nil {
		return nil
	}
	calls := p.yieldsIn(fn, fn.Params[0], 3)
	if len(calls) == 0 {
		return nil
	}
	var cases []summary.ResultCase
	complete := p.Explore(false, MaxResults, func(q *Path) []*value.Value {
		call := calls[q.Choose(fn, len(calls))]
		q.AssumeBlock(call.Block(), nil, &q.Guards)
		var vs []*value.Value
		for _, a := range call.Common().Args {
			vs = append(vs, q.Force(q.Eval(a, call), 4))
		}
		return vs
	}, func(q *Path, vs []*value.Value) {
		cases = append(cases, summary.ResultCase{Guards: summary.UniqueGuards(q.Guards), Values: vs})
	})
	if !complete {
		return nil
	}
	return cases
}

// yieldsIn lists the calls of the function that an iterator is given, also in
// the bodies of the loops over iterators in it.
func (p *Evaluator) yieldsIn(fn *ssa.Function, yield ssa.Value, depth int) []ssa.CallInstruction {
	var out []ssa.CallInstruction
	for _, call := range p.Calls[fn] {
		if p.same(call.Common().Value, yield) {
			out = append(out, call)
		}
	}
	for _, inner := range fn.AnonFuncs {
		if kind.IsRangeBody(inner) && depth > 0 {
			out = append(out, p.yieldsIn(inner, yield, depth-1)...)
		}
	}
	return out
}

// same reports whether a function value is a parameter, also captured.
func (p *Evaluator) same(v, param ssa.Value) bool {
	if v == param {
		return true
	}
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return false
	}
	root, path := p.Address(load.X)
	stores := p.Stores[root]
	return len(path) == 0 && len(stores) == 1 && stores[0].Val == param
}

// ranged resolves a parameter of the body of a loop over an iterator: what the
// iterator yields.
func (p *Path) ranged(v *ssa.Parameter) *value.Value {
	fn := v.Parent()
	mc := p.p.Closures[fn]
	if mc == nil {
		return nil
	}
	for _, r := range *mc.Referrers() {
		call, ok := r.(*ssa.Call)
		if !ok || len(call.Call.Args) != 1 || call.Call.Args[0] != ssa.Value(mc) {
			continue
		}
		iterator := p.Eval(call.Call.Value, call)
		returns := iterator.Function().Returns(nil)
		if len(returns) == 0 {
			returns = elementsOf(iterator)
		}
		if len(returns) == 0 {
			return nil
		}
		r := p.Settle(returns[p.Choose(mc, len(returns))], call)
		i := kind.ParamIndex(v)
		switch {
		case r.Kind == value.Tuple && i < len(r.Args):
			return r.Args[i]
		case i == 0 && len(fn.Params) == 1:
			return r
		}
	}
	return nil
}

// elementsOf returns what an iterator that is no function literal yields: one
// of the package slices, or the list that such a one is known as.
func elementsOf(iterator *value.Value) []*value.Value {
	switch b := iterator.Base(); {
	case b.Kind == value.List:
		return []*value.Value{value.Apply(value.Elem, b)}
	case b.Kind != value.Call || len(b.Args) == 0:
		return nil
	case b.Is("slices.Values"):
		return []*value.Value{value.Apply(value.Elem, b.Args[0])}
	case b.Is("slices.All"), b.Is("slices.Backward"):
		return []*value.Value{{Kind: value.Tuple, Args: []*value.Value{value.UnknownFor("an index"), value.Apply(value.Elem, b.Args[0])}}}
	}
	return nil
}
