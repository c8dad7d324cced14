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

// What a function returns, deferred function literals may set anew:
//
//	defer func() {
//		if ts == 0 {
//			ts = bigtable.Now()
//		}
//	}()
//
// Such a literal is a function of the variables that it captures, as they are when the
// function returns.

// returnedLater resolves a variable that deferred literals set, before that or as it is
// returned afterwards; nil where none does, or it is not as simple.
func (p *Path) returnedLater(load *ssa.UnOp) *value.Value {
	a, ok := load.X.(*ssa.Alloc)
	if !ok || !p.p.setByDeferred(a) {
		return nil
	}
	zero := kind.ZeroOf(kind.Deref(a.Type()))
	ret := runsDeferred(load)
	if ret == nil {
		return p.lastOwn(a, load, zero) // none of them has run yet
	}
	calls := p.p.deferring(a)
	v := p.lastOwn(a, ret, zero)
	for _, d := range slices.Backward(calls) {
		literal := d.Call.Value.(*ssa.MakeClosure).Fn.(*ssa.Function)
		if !p.registered(d, ret) {
			continue
		}
		if v = p.setBy(literal, a, v, ret, load); v == nil {
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

// setByDeferred reports whether deferred literals store to a variable, and nothing else
// is done with its address but to load it and to store there.
func (p *Evaluator) setByDeferred(a *ssa.Alloc) bool {
	sets := false
	for _, s := range p.Prog.Stores[a] {
		sets = sets || s.At.Parent() != a.Parent()
	}
	return sets && onlyUsed(a, func(r ssa.Instruction) bool {
		mc, ok := r.(*ssa.MakeClosure)
		return ok && p.onlyDeferred(mc)
	})
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

// onlyDeferred reports whether a literal is deferred, once, and does nothing with what
// it captures but to load it and to store there.
func (p *Evaluator) onlyDeferred(mc *ssa.MakeClosure) bool {
	fn := mc.Fn.(*ssa.Function)
	for _, r := range *mc.Referrers() {
		switch r := r.(type) {
		case *ssa.Defer:
			if r.Call.Value != ssa.Value(mc) || p.Prog.Graphs.Repeats(r.Block()) {
				return false
			}
		case *ssa.DebugRef:
		default:
			return false
		}
	}
	for _, free := range fn.FreeVars {
		if !onlyUsed(free, func(ssa.Instruction) bool { return false }) {
			return false
		}
	}
	return len(fn.Params) == 0
}

// deferring lists the deferred calls of literals that store to a variable, in the order
// in which they stand.
func (p *Evaluator) deferring(a *ssa.Alloc) (calls []*ssa.Defer) {
	for _, b := range a.Parent().Blocks {
		for _, instr := range b.Instrs {
			d, ok := instr.(*ssa.Defer)
			if !ok {
				continue
			}
			if mc, ok := d.Call.Value.(*ssa.MakeClosure); ok && slices.ContainsFunc(p.Prog.Stores[a], func(s program.Store) bool { return s.At.Parent() == mc.Fn }) {
				calls = append(calls, d)
			}
		}
	}
	slices.SortStableFunc(calls, func(x, y *ssa.Defer) int { return int(x.Pos() - y.Pos()) })
	return calls
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

// setBy resolves a variable, which was v, after a deferred literal; nil where it is not
// known which of several values it has then.
func (p *Path) setBy(literal *ssa.Function, a *ssa.Alloc, v *value.Value, ret ssa.Instruction, load *ssa.UnOp) *value.Value {
	given := make([]*value.Value, len(literal.FreeVars))
	bind := func(leaf *value.Value) *value.Value {
		if leaf.Kind != value.Param || leaf.Site != any(literal) {
			return nil
		}
		if i := int(leaf.Num); given[i] == nil {
			given[i] = p.capturedAt(p.p.Prog.Binding(literal.FreeVars[i]), a, v, ret)
		}
		return given[int(leaf.Num)]
	}
	binding := p.Reader.Binding(bind, load)
	var open []summary.ResultCase
	for _, c := range p.p.leaves(literal, a) {
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
	type key struct{ load, literal any }
	c := open[p.Way.Choose(key{load, literal}, len(open))]
	p.Way.Guards = append(p.Way.Guards, c.Guards...)
	return c.Values[0]
}

// capturedAt resolves what a deferred literal has captured, as it is when its function
// returns: a is v then.
func (p *Path) capturedAt(captured ssa.Value, a *ssa.Alloc, v *value.Value, ret ssa.Instruction) *value.Value {
	switch {
	case captured == ssa.Value(a):
		return v
	case captured == nil:
		return value.UnknownFor("a captured variable")
	}
	return p.Reader.Load(captured, ret)
}

// leaves returns what a deferred literal leaves in a variable, over those that it
// captures, in their order.
func (p *Evaluator) leaves(literal *ssa.Function, a *ssa.Alloc) []summary.ResultCase {
	if cases, ok := p.deferred[literal]; ok && cases[a] != nil {
		return cases[a]
	}
	var rets []ssa.Instruction
	for _, b := range literal.Blocks {
		if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && b != literal.Recover {
			rets = append(rets, ret)
		}
	}
	var cases []summary.ResultCase
	complete := len(rets) > 0 && p.Explore(false, MaxResults, func(q *Path) []*value.Value {
		q.deferred = literal
		ret := rets[q.Way.Choose(literal, len(rets))]
		q.Way.AssumeBlock(ret.Block(), nil, &q.Way.Guards)
		return []*value.Value{q.lastOwn(a, ret, q.begins(a))}
	}, func(q *Path, vs []*value.Value) {
		cases = append(cases, summary.ResultCase{Guards: summary.UniqueGuards(q.Way.Guards), Values: vs})
	})
	if !complete {
		cases = []summary.ResultCase{{Values: UnknownCase(1, TooMany).Args}}
	}
	if p.deferred[literal] == nil {
		p.deferred[literal] = map[*ssa.Alloc][]summary.ResultCase{}
	}
	p.deferred[literal][a] = cases
	return cases
}

// begins returns what a captured variable is when the deferred literal begins that is
// being followed: a leaf.
func (p *Path) begins(a ssa.Value) *value.Value {
	for i, free := range p.deferred.FreeVars {
		if p.p.Prog.Binding(free) == a {
			return &value.Value{Kind: value.Param, Num: int64(i), Class: kind.ClassOf(kind.Deref(a.Type())), Site: p.deferred}
		}
	}
	return value.UnknownFor("a captured variable")
}

// inDeferred resolves a captured variable in the deferred literal that is being
// followed; nil of other loads.
func (p *Path) inDeferred(load *ssa.UnOp) *value.Value {
	free, ok := load.X.(*ssa.FreeVar)
	if !ok || p.deferred == nil || load.Parent() != p.deferred {
		return nil
	}
	a, ok := p.p.Prog.Binding(free).(*ssa.Alloc)
	if !ok {
		return nil
	}
	return p.lastOwn(a, load, p.begins(a))
}

// lastOwn resolves a variable at an instruction by the stores of its function alone;
// what it is before them begins.
func (p *Path) lastOwn(a *ssa.Alloc, at ssa.Instruction, begins *value.Value) *value.Value {
	var own []program.Store
	for _, s := range p.p.Prog.Stores[a] {
		if s.At.Parent() == at.Parent() {
			own = append(own, s)
		}
	}
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
