package eval

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// A helper is given a map, to put something into it. What that is it hands on from its
// parameters.

// filledBy returns the keys and elements that a function puts, by one of its
// instructions, into a new map that it is given where that is made; false where it may
// be given the map elsewhere too.
func (p *Path) filledBy(made *ssa.MakeMap, up *ssa.MapUpdate) (entries []*value.Value, known bool) {
	fn := up.Parent()
	param, ok := up.Map.(*ssa.Parameter)
	if !ok || fn.Parent() != nil || p.p.Prog.Taken[fn] {
		return nil, false
	}
	for _, call := range p.p.Prog.Callers[fn] {
		t, ok := p.p.Prog.Target(call.Common())
		if !ok || t.Fn != fn {
			return nil, false
		}
		given := t.Args[kind.ParamIndex(param)]
		if !p.p.Prog.Heap().Place(given).Meets(p.p.Prog.Heap().Place(made)) {
			continue
		}
		if given != ssa.Value(made) || call.Parent() != made.Parent() {
			return nil, false
		}
		bind := p.Reader.Arguments(t, call).Binder(fn)
		binding := p.Reader.Binding(bind, call)
		var open []summary.ResultCase
		for _, c := range p.p.puts(up) {
			if guards, ok := binding.Guards(c.Guards); ok {
				open = append(open, summary.ResultCase{Guards: guards, Values: c.Values})
			}
		}
		if len(open) == 0 {
			continue
		}
		type key struct{ call, up ssa.Instruction }
		c := open[p.Way.Choose(key{call, up}, len(open))]
		p.Way.Guards = append(p.Way.Guards, c.Guards...)
		for _, v := range c.Values {
			entries = append(entries, p.Settler.Settle(p.p.Prog.Sites.Resited(v, call, fn).Subst(bind), call).At(p.p.Prog.Syntax.Expr(call.Pos())))
		}
	}
	return entries, true
}

// puts returns the keys and elements that an instruction puts into a map, over the
// parameters of its function.
func (p *Evaluator) puts(up *ssa.MapUpdate) (cases []summary.ResultCase) {
	if known, ok := p.put[up]; ok {
		return known
	}
	p.put[up] = []summary.ResultCase{{Values: UnknownCase(2, TooMany).Args}} // also where it asks itself
	complete := p.Explore(false, MaxResults, func(q *Path) []*value.Value {
		q.Way.AssumeBlock(up.Block(), nil, &q.Way.Guards)
		return []*value.Value{q.Way.Eval(up.Key, up), q.Settler.Force(q.Way.Eval(up.Value, up), 4)}
	}, func(q *Path, vs []*value.Value) {
		cases = append(cases, summary.ResultCase{Guards: summary.UniqueGuards(q.Way.Guards), Values: vs})
	})
	if complete {
		p.put[up] = cases
	}
	return p.put[up]
}
