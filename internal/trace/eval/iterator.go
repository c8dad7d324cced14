package eval

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/kind"

	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// An iterator is known by what it yields: as a function literal that returns
// that. Over which turns it does is of no interest.

// yields returns the combinations of values that an iterator passes to the function
// that it is given; none where it is no iterator, nor while they are found: one that
// ranges over itself yields nothing by that.
func (p *Evaluator) yields(fn *ssa.Function) []summary.ResultCase {
	if kind.Yielded(fn.Signature) == nil || len(fn.Params) == 0 {
		return nil
	}
	cases, ok := p.yielded[fn]
	if !ok {
		p.yielded[fn] = nil
		cases = p.passes(fn, fn.Params[len(fn.Params)-1])
		p.yielded[fn] = cases
	}
	return cases
}

// passes returns the combinations of values that an iterator passes to yield.
func (p *Evaluator) passes(fn *ssa.Function, yield *ssa.Parameter) []summary.ResultCase {
	calls := p.yieldsIn(fn, yield, 3)
	if len(calls) == 0 {
		return nil
	}
	goesOn := func(g summary.Guard) bool { // whether the loop has had enough
		return g.Cond.Has(func(v *value.Value) bool {
			return v.Kind == value.Param && v.Site == any(kind.Origin(fn)) && int(v.Num) == kind.ParamIndex(yield)
		})
	}
	var cases []summary.ResultCase
	complete := p.Explore(false, MaxResults, func(q *Path) []*value.Value {
		return calls[q.Way.Choose(fn, len(calls))](q)
	}, func(q *Path, vs []*value.Value) {
		cases = append(cases, summary.ResultCase{Guards: slices.DeleteFunc(summary.UniqueGuards(q.Way.Guards), goesOn), Values: vs})
	})
	if !complete {
		return nil
	}
	return cases
}

// yieldsIn lists the calls of the function that an iterator is given, by what they
// pass to it: also in function literals in it, as the bodies of loops and the
// callbacks of reads are, and those of a read that is given the function itself.
func (p *Evaluator) yieldsIn(fn *ssa.Function, yield ssa.Value, depth int) (out []func(*Path) []*value.Value) {
	for _, call := range p.Prog.Calls[fn] {
		if t, ok := p.Prog.Target(call.Common()); ok && t.API == btapi.ReadRows && t.Recv == nil && len(t.Args) > 3 && p.Prog.ParamOf(t.Args[3]) == yield {
			out = append(out, func(q *Path) []*value.Value { return []*value.Value{q.RowOf(call)} })
		}
		if p.Prog.ParamOf(call.Common().Value) != yield || kind.Fails(call.Common().Args, call) {
			continue
		}
		out = append(out, func(q *Path) (vs []*value.Value) {
			q.Way.AssumeBlock(call.Block(), nil, &q.Way.Guards)
			for _, a := range call.Common().Args {
				vs = append(vs, q.Settler.Force(q.Way.Eval(a, call), 4))
			}
			return besideError(vs, call.Common().Signature())
		})
	}
	for _, inner := range fn.AnonFuncs {
		if depth > 0 {
			out = append(out, p.yieldsIn(inner, yield, depth-1)...)
		}
	}
	return out
}

// besideError returns what is yielded together, without the zero values beside an
// error that may be one: the body of a loop does not use them.
func besideError(vs []*value.Value, yield *types.Signature) []*value.Value {
	last := len(vs) - 1
	if last < 1 || !kind.IsError(yield.Params().At(last).Type()) || vs[last].Kind == value.Nil {
		return vs
	}
	for i, v := range vs[:last] {
		if isZero(v) {
			vs[i] = value.UnknownFor("what is yielded with an error")
		}
	}
	return vs
}

// isZero reports whether a value is the zero value of its type.
func isZero(v *value.Value) bool {
	switch v.Kind {
	case value.Nil:
		return true
	case value.Int, value.Bool:
		return v.Num == 0
	case value.Float:
		return v.Float64() == 0
	case value.Str:
		return v.Name == ""
	case value.Struct:
		return len(v.Keys) == 0 && v.Lazy == nil
	}
	return v.Is(value.Zero) || v.Is(value.ZeroTime)
}

// ranged resolves a parameter of the body of a loop over an iterator: what the
// iterator yields.
func (p *Path) ranged(v *ssa.Parameter) *value.Value {
	mc := p.p.Prog.Closures[v.Parent()]
	if mc == nil {
		return nil
	}
	for _, r := range *mc.Referrers() {
		call, ok := r.(*ssa.Call)
		if !ok || len(call.Call.Args) != 1 || call.Call.Args[0] != ssa.Value(mc) {
			continue
		}
		of := value.Apply(Yielded, p.Way.Eval(call.Call.Value, call), value.IntOf(int64(kind.ParamIndex(v))))
		of.Class = kind.ClassOf(v.Type())
		if r := p.Settler.Yielded(of, mc, call); r != of || of.HasParams() {
			return r
		}
	}
	return nil
}
