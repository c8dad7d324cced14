package eval

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// A helper is given a map, to put something into it. What that is it hands on from its
// parameters.

// filledBy returns the keys and elements that a function puts, by one of its
// instructions, or by the call of one of another package, into a new map that it is given
// where that is made; false where it may be given the map elsewhere too.
func (p *Path) filledBy(made *ssa.MakeMap, by ssa.Instruction) (entries []*value.Value, known bool) {
	up, ok := by.(*ssa.MapUpdate)
	if !ok {
		return p.filledAbroad(made, by)
	}
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
		entries = append(entries, p.put(p.p.puts(up), t, call, up)...)
	}
	return entries, true
}

// filledAbroad is [Path.filledBy] for a call of a function of another package.
func (p *Path) filledAbroad(made *ssa.MakeMap, by ssa.Instruction) (entries []*value.Value, known bool) {
	call, ok := by.(*ssa.Call)
	if !ok || call.Parent() != made.Parent() {
		return nil, false
	}
	t, ok := p.p.Prog.Target(&call.Call)
	s := p.p.Prog.Imported(t.Obj)
	if !ok || s == nil {
		return nil, false
	}
	for i, a := range t.Args {
		if a != ssa.Value(made) {
			continue
		}
		for j, put := range s.Puts {
			if put.Param == i {
				known = true
				entries = append(entries, p.put(put.Cases, t, call, j)...)
			}
		}
	}
	return entries, known
}

// put chooses what a call puts into a map by one of the instructions of its callee.
func (p *Path) put(cases []summary.ResultCase, t program.Target, call ssa.CallInstruction, by any) (entries []*value.Value) {
	bind := p.Reader.Arguments(t, call).Binder(t.Fn)
	binding := p.Reader.Binding(bind, call)
	var open []summary.ResultCase
	for _, c := range cases {
		if guards, ok := binding.Guards(c.Guards); ok {
			open = append(open, summary.ResultCase{Guards: guards, Values: c.Values})
		}
	}
	if len(open) == 0 {
		return nil
	}
	type key struct{ call, by any }
	c := open[p.Way.Choose(key{call, by}, len(open))]
	p.Way.Guards = append(p.Way.Guards, c.Guards...)
	for _, v := range c.Values {
		entries = append(entries, p.Settler.Settle(p.p.Prog.Sites.Resited(v, call, t.Fn).Subst(bind), call).At(p.p.Prog.Syntax.Expr(call.Pos())))
	}
	return entries
}

// Puts returns what a function puts into the maps that it is given, if it does so itself.
func (p *Evaluator) Puts(fn *ssa.Function) (out []summary.Put) {
	for i, param := range fn.Params {
		if _, ok := kind.Core(param.Type()).(*types.Map); !ok {
			continue
		}
		place, from := p.Prog.Heap().Place(param), len(out)
		all := !slices.ContainsFunc(p.Prog.Calls[fn], place.Written)
		for _, w := range place.Writers() {
			up, ok := w.(*ssa.MapUpdate)
			switch {
			case kind.Outermost(w.Parent()) != fn:
			case !ok || up.Map != ssa.Value(param):
				all = false
			default:
				out = append(out, summary.Put{Param: i, Cases: p.puts(up)})
			}
		}
		if !all {
			out = out[:from]
		}
	}
	return out
}

// puts returns the keys and elements that an instruction puts into a map, over the
// parameters of its function.
func (p *Evaluator) puts(up *ssa.MapUpdate) (cases []summary.ResultCase) {
	if known, ok := p.filling[up]; ok {
		return known
	}
	p.filling[up] = []summary.ResultCase{{Values: UnknownCase(2, TooMany).Args}} // also where it asks itself
	complete := p.Explore(false, MaxResults, func(q *Path) []*value.Value {
		q.Way.AssumeBlock(up.Block(), nil, &q.Way.Guards)
		return []*value.Value{q.Way.Eval(up.Key, up), q.Settler.Force(q.Way.Eval(up.Value, up), 4)}
	}, func(q *Path, vs []*value.Value) {
		cases = append(cases, summary.ResultCase{Guards: summary.UniqueGuards(q.Way.Guards), Values: vs})
	})
	if complete {
		p.filling[up] = cases
	}
	return p.filling[up]
}
