package callers

import (
	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/event"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/memory"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// A struct of another package that is filled here and handed on as an
// interface — to a decorator, a registry, a framework — is called by somebody
// who is not in view. What its methods do with its fields is judged where it
// is filled.

// uncalled returns events for the methods of such structs that no call of the
// package runs.
func (p *Tracer) uncalled() []*event.Event {
	var events []*event.Event
	for _, object := range p.escapes.Filled() {
		for _, method := range object.Uncalled {
			s := p.Imported(method)
			if s == nil {
				continue
			}
			for _, effect := range s.Effects {
				effect, ok := ofReceiver(effect, p.given(object.Alloc))
				if !ok || effect.Op == event.Callback || effect.Uses.Outside() {
					continue
				}
				if e := p.uncalledEvent(object, effect); e != nil {
					events = append(events, e)
				}
			}
		}
	}
	return events
}

// ofReceiver returns an effect of a method with nothing in it that callers supply
// but the receiver: keys and columns, say, are not known; the mutation is the given
// one. It reports false where what they supply decides anything.
func ofReceiver(e summary.Effect, given *value.Value) (summary.Effect, bool) {
	others := func(leaf *value.Value) *value.Value {
		if leaf.Kind != value.Param || leaf.Num == 0 {
			return nil
		}
		u := value.UnknownFor("what a caller of the method supplies")
		u.Class = leaf.Class
		return u
	}
	cases := make([]summary.Case, len(e.Cases))
	for i, c := range e.Cases {
		cases[i] = c
		cases[i].Args = make([]*value.Value, len(c.Args))
		for j, a := range c.Args {
			cases[i].Args[j] = a.Subst(others)
		}
		if ofMutation(e.Op) && c.Args[0].Kind == value.Param && c.Args[0].Num > 0 {
			cases[i].Args[0] = given
		}
		for _, g := range append(c.Guards[:len(c.Guards):len(c.Guards)], c.When...) {
			if g.Cond.Subst(others) != g.Cond {
				return e, false
			}
		}
	}
	e.Cases = cases
	return e, true
}

func (p *Tracer) uncalledEvent(object Object, effect summary.Effect) *event.Event {
	mi := object.HandedOn
	e := p.NewEvent(effect.Op, mi.Parent(), mi)
	e.Node, e.Reached, e.ReachedUses = object.Literal, effect.Cases, effect.Uses
	e.Uses, e.Where, e.Depth = effect.Uses, effect.Where, effect.Depth+1
	e.Evaluate(func(q *eval.Path) []*value.Value {
		q.AssumeBlock(mi.Block(), nil, &q.When)
		bind := memory.Binder([]*value.Value{q.Eval(mi.X, mi)}, nil)
		binding := q.Binding(bind, mi)
		var open []summary.Case
		for _, c := range effect.Cases {
			_, ok := binding.Guards(c.Guards)
			_, ok2 := binding.Guards(c.When)
			if ok && ok2 {
				open = append(open, c)
			}
		}
		if len(open) == 0 {
			q.Blocked = true
			return nil
		}
		c := open[q.Choose(object.Literal, len(open))]
		guards, _ := binding.Guards(c.Guards)
		when, _ := binding.Guards(c.When)
		q.Guards, q.When = append(q.Guards, guards...), append(q.When, when...)
		var out []*value.Value
		for _, a := range c.Args {
			if !a.Is(kind.Given) { // made here
				a = p.Resited(a, mi, nil)
			}
			out = append(out, q.Force(q.Settle(a.Subst(bind), mi), 4))
		}
		return p.OrFakes(effect.Op, out)
	})
	return e
}
