package eval

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/memory"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// What a function returns, deferred functions may set anew:
//
//	defer func() {
//		if ts == 0 {
//			ts = bigtable.Now()
//		}
//	}()
//	defer orNow(&ts)
//
// A literal is a function of the variables that it captures, as they are when the function
// returns around it; another is one of what it is given, and of what lies there then.

// A deferral is a deferred call of a function of the package.
type deferral struct {
	at    *ssa.Defer
	fn    *ssa.Function
	slots []ssa.Value // what it captures, or its parameters
	bound []ssa.Value // what those are at the call
}

// returnedLater resolves a variable that deferred functions set, before that or as it is
// returned afterwards; nil where none does, or it is not as simple.
func (p *Path) returnedLater(load *ssa.UnOp) *value.Value {
	a, ok := load.X.(*ssa.Alloc)
	if !ok {
		return nil
	}
	calls := p.p.deferring(a)
	if len(calls) == 0 {
		return nil
	}
	zero := kind.ZeroOf(kind.Deref(a.Type()))
	ret := runsDeferred(load)
	if ret == nil {
		return p.lastOwn(a, load, zero) // none of them has run yet
	}
	v := p.lastOwn(a, ret, zero)
	for _, d := range slices.Backward(calls) {
		if !p.registered(d.at, ret) {
			continue
		}
		if v = p.setBy(d, a, v, ret, load); v == nil {
			return kind.UnknownOf(load.Type(), "what a deferred function sets")
		}
	}
	return v
}

// runsDeferred returns the instruction behind which a load reads what a function
// returns; nil of other loads.
func runsDeferred(load *ssa.UnOp) ssa.Instruction {
	for _, instr := range load.Block().Instrs {
		if _, ok := instr.(*ssa.RunDefers); ok {
			return instr
		}
		if instr == ssa.Instruction(load) {
			break
		}
	}
	return nil
}

// onlyUsed reports whether nothing is done with an address but to load from it and to
// store there, and what also allows.
func onlyUsed(addr ssa.Value, also func(ssa.Instruction) bool) bool {
	for _, r := range *addr.Referrers() {
		switch r := r.(type) {
		case *ssa.Store:
			if r.Addr != addr {
				return false
			}
		case *ssa.UnOp, *ssa.DebugRef:
		default:
			if !also(r) {
				return false
			}
		}
	}
	return true
}

// deferring lists the deferred calls of functions that store to a variable, in the order
// in which they stand; nil where something else is done with its address but to load it
// and to store there.
func (p *Evaluator) deferring(a *ssa.Alloc) []*deferral {
	if known, ok := p.deferrals[a]; ok {
		return known
	}
	var calls []*deferral
	simple := onlyUsed(a, func(r ssa.Instruction) bool {
		d := p.deferral(r)
		if d != nil && len(p.storesIn(d.fn, d.root(a))) > 0 {
			calls = append(calls, d)
		}
		return d != nil
	})
	if !simple {
		calls = nil
	}
	slices.SortStableFunc(calls, func(x, y *deferral) int { return int(x.at.Pos() - y.at.Pos()) })
	p.deferrals[a] = calls
	return calls
}

// deferral returns the call of a function that is deferred, once, and that does nothing
// with the variables which it captures, or is given the addresses of, but to load them and
// to store there; nil of other instructions.
func (p *Evaluator) deferral(r ssa.Instruction) *deferral {
	var out *deferral
	switch r := r.(type) {
	case *ssa.MakeClosure:
		out = &deferral{fn: r.Fn.(*ssa.Function), bound: r.Bindings}
		for _, use := range *r.Referrers() {
			switch use := use.(type) {
			case *ssa.Defer:
				out.at = use
			case *ssa.DebugRef:
			default:
				return nil
			}
		}
		for _, free := range out.fn.FreeVars {
			out.slots = append(out.slots, free)
		}
		if out.at == nil || out.at.Call.Value != ssa.Value(r) || len(out.fn.Params) > 0 {
			return nil
		}
	case *ssa.Defer:
		fn := r.Call.StaticCallee()
		if fn == nil || !p.Prog.HasBody(fn) || len(fn.FreeVars) > 0 {
			return nil
		}
		out = &deferral{at: r, fn: fn, bound: r.Call.Args}
		for _, param := range fn.Params {
			out.slots = append(out.slots, param)
		}
	default:
		return nil
	}
	if p.Prog.Graphs.Repeats(out.at.Block()) || slices.ContainsFunc(out.slots, func(slot ssa.Value) bool {
		return kind.IsPointer(slot.Type()) && !onlyUsed(slot, func(ssa.Instruction) bool { return false })
	}) {
		return nil
	}
	return out
}

// root returns what the stores of a deferred function to a variable have as their root.
func (d *deferral) root(a *ssa.Alloc) ssa.Value {
	if len(d.fn.FreeVars) > 0 {
		return a
	}
	return d.slots[slices.Index(d.bound, ssa.Value(a))]
}

// storesIn lists the stores of a function to a variable.
func (p *Evaluator) storesIn(fn *ssa.Function, root ssa.Value) (own []program.Store) {
	for _, s := range p.Prog.Stores[root] {
		if s.At.Parent() == fn {
			own = append(own, s)
		}
	}
	return own
}

// registered chooses whether a deferred call was made when control comes to the end of
// its function.
func (p *Path) registered(d *ssa.Defer, ret ssa.Instruction) bool {
	switch {
	case d.Block() == ret.Block() || d.Block().Dominates(ret.Block()):
		return true
	case !p.p.Prog.Graphs.MayPrecede(d, ret):
		return false
	case p.Way.Choose(d, 2) == 1:
		p.Way.AssumeBlock(d.Block(), nil, &p.Way.Guards)
		return true
	}
	p.Way.AssumeSkipped([]ssa.Instruction{d}, nil, ret)
	return false
}

// setBy resolves a variable, which was v, after a deferred function; nil where it is not
// known which of several values it has then.
func (p *Path) setBy(d *deferral, a *ssa.Alloc, v *value.Value, ret ssa.Instruction, load *ssa.UnOp) *value.Value {
	given := make([]*value.Value, len(d.slots))
	bind := func(leaf *value.Value) *value.Value {
		if leaf.Kind != value.Param || leaf.Site != any(d.fn) {
			return nil
		}
		i := int(leaf.Num)
		if bound := d.bound[i]; given[i] != nil {
		} else if bound == ssa.Value(a) {
			given[i] = v
		} else if kind.IsPointer(bound.Type()) {
			given[i] = p.Reader.Load(bound, ret)
		} else {
			given[i] = p.Way.Eval(bound, d.at)
		}
		return given[i]
	}
	binding := p.Reader.Binding(bind, load)
	var open []summary.ResultCase
	for _, c := range p.p.leaves(d, d.root(a)) {
		if guards, ok := binding.Guards(c.Guards); ok {
			left := summary.ResultCase{Guards: guards, Values: []*value.Value{p.Settler.Settle(c.Values[0].Subst(bind), load)}}
			for _, other := range open {
				if len(guards)+len(other.Guards) == 0 && !memory.Same(left.Values[0], other.Values[0]) {
					return nil // what decides is not known
				}
			}
			open = append(open, left)
		}
	}
	if len(open) == 0 {
		return nil
	}
	type key struct{ load, deferred any }
	c := open[p.Way.Choose(key{load, d}, len(open))]
	p.Way.Guards = append(p.Way.Guards, c.Guards...)
	return c.Values[0]
}

// leaves returns what a deferred function leaves in a variable, over what it captures or
// is given.
func (p *Evaluator) leaves(d *deferral, root ssa.Value) []summary.ResultCase {
	if cases, ok := p.deferred[d.fn]; ok && cases[root] != nil {
		return cases[root]
	}
	rets := append(exits(d.fn, false), exits(d.fn, true)...)
	var cases []summary.ResultCase
	complete := len(rets) > 0 && p.Explore(false, MaxResults, func(q *Path) []*value.Value {
		q.deferred = d
		ret := rets[q.Way.Choose(d.fn, len(rets))]
		q.Way.AssumeBlock(ret.Block(), nil, &q.Way.Guards)
		return []*value.Value{q.lastOwn(root, ret, q.begins(root))}
	}, func(q *Path, vs []*value.Value) {
		cases = append(cases, summary.ResultCase{Guards: summary.UniqueGuards(q.Way.Guards), Values: vs})
	})
	if !complete {
		cases = []summary.ResultCase{{Values: UnknownCase(1, TooMany).Args}}
	}
	if p.deferred[d.fn] == nil {
		p.deferred[d.fn] = map[ssa.Value][]summary.ResultCase{}
	}
	p.deferred[d.fn][root] = cases
	return cases
}

// begins returns what a variable is when the deferred function begins that is being
// followed: a leaf.
func (p *Path) begins(root ssa.Value) *value.Value {
	for i, slot := range p.deferred.slots {
		if slot == root || p.deferred.bound[i] == root {
			return &value.Value{Kind: value.Param, Num: int64(i), Class: kind.ClassOf(kind.Deref(root.Type())), Site: p.deferred.fn}
		}
	}
	return value.UnknownFor("a captured variable")
}

// inDeferred resolves a variable in the deferred function that is being followed; nil of
// other loads.
func (p *Path) inDeferred(load *ssa.UnOp) *value.Value {
	if p.deferred == nil || load.Parent() != p.deferred.fn {
		return nil
	}
	i := slices.Index(p.deferred.slots, load.X)
	if i < 0 {
		return nil
	}
	root := load.X
	if len(p.deferred.fn.FreeVars) > 0 {
		a, ok := p.deferred.bound[i].(*ssa.Alloc)
		if !ok {
			return nil
		}
		root = a
	}
	return p.lastOwn(root, load, p.begins(root))
}

// lastOwn resolves a variable at an instruction by the stores of its function alone;
// what it is before them begins.
func (p *Path) lastOwn(a ssa.Value, at ssa.Instruction, begins *value.Value) *value.Value {
	own := p.p.storesIn(at.Parent(), a)
	defs, entry := p.p.Prog.Reaching(own, nil, at, nil)
	n := len(defs)
	if entry {
		n++
	}
	type key struct {
		of ssa.Value
		at ssa.Instruction
	}
	i := p.Way.Choose(key{a, at}, n)
	var others []ssa.Instruction
	var from ssa.Instruction
	for j, d := range defs {
		if j != i {
			others = append(others, d.At)
			continue
		}
		if from = d.At; n > 1 {
			p.Way.AssumeSet(d, a, at)
		}
	}
	p.Way.AssumeSkipped(others, from, at)
	if i >= len(defs) {
		return begins
	}
	return p.Way.Eval(defs[i].Val, defs[i].At)
}
