package result

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/event"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/trace/uses"
	"github.com/ttlvet/ttlvet/internal/value"
)

// findAgain finds the writes that are repeated to one cell of one mutation
// with one timestamp, and the calls that lead to those or repeat them.
func (p *finder) findAgain(events []*event.Event) {
	sent := p.sent(events)
	done := map[*event.Event]bool{}
	var find func(e *event.Event)
	find = func(e *event.Event) {
		if e.Op != btapi.Set || done[e] || e.Instr == nil {
			return
		}
		done[e] = true
		switch {
		case e.Link.Effect == nil:
			e.Again = p.repeats(e, sent)
		case e.Source == nil:
			e.Again = e.Link.Effect.Again
		default:
			find(e.Source)
			e.Again = e.Source.Again || !p.singledOut(e.Source) && p.repeats(e, sent)
		}
	}
	for _, e := range events {
		find(e)
		switch e.Op {
		case btapi.DeleteCellsInColumn, btapi.DeleteCellsInFamily, btapi.DeleteRow:
			p.findOvertaken(e, events, sent)
		}
	}
}

// findOvertaken finds the writes of a turn after which a deletion of one place comes
// again. Where each turn does one or the other, their order is that of what the loop runs
// over.
func (p *finder) findOvertaken(e *event.Event, events []*event.Event, sent func(ssa.CallInstruction) bool) {
	to := givenMutation(e)
	if to == nil || e.Source != nil && p.singledOut(e.Source) {
		return
	}
	ends := func(call ssa.CallInstruction) bool { return sent(call) || p.maySend(call, to) }
	for _, t := range p.turns.Turns(e.Instr) {
		if t.Singled() || t.Varies(e.Instr) || slices.ContainsFunc(does(e), func(c summary.Case) bool { return !steady(e, t, c, len(c.Args)) }) {
			continue
		}
		for _, f := range events {
			if f.Op != btapi.Set || f.In != e.In || !t.Holds(f.Instr) || !t.Joins(f.Instr) {
				continue
			}
			if given := givenMutation(f); given != nil && t.AgainFrom(f.Instr, given, to, ends) {
				e.Overtakes = append(e.Overtakes, f)
			}
		}
	}
}

// maySend reports whether a call gives a mutation to a function of which nothing is
// known, which may apply it.
func (p *finder) maySend(call ssa.CallInstruction, mutation ssa.Value) bool {
	if !slices.ContainsFunc(call.Common().Args, func(a ssa.Value) bool { return kind.Stripped(a) == mutation }) {
		return false
	}
	t, ok := p.prog.Target(call.Common())
	if !ok || t.API != "" || t.Fn != nil {
		return !ok
	}
	s := p.prog.Imported(t.Obj)
	return s == nil || s.Empty()
}

// does returns what a call which writes to a mutation, or deletes from it, does with what
// it is given: a call of the client that itself; nil where that is not written there.
func does(e *event.Event) []summary.Case {
	switch {
	case e.Instr == nil || e.Target.Recv != nil || e.ViaField:
		return nil
	case e.Link.Effect != nil:
		return e.Link.Effect.Cases
	}
	own := summary.Case{}
	for i := range e.Target.Args {
		own.Args = append(own.Args, &value.Value{Kind: value.Param, Num: int64(i)})
	}
	return []summary.Case{own}
}

// argument returns what a call gives for a parameter that a value of its callee is; nil of
// other values.
func argument(e *event.Event, v *value.Value) ssa.Value {
	if b := v.Base(); b.Kind == value.Param && (b.Site == nil || b.Site == any(e.Target.Fn)) && b.Num >= 0 && int(b.Num) < len(e.Target.Args) {
		return kind.Stripped(e.Target.Args[b.Num])
	}
	return nil
}

// givenMutation returns the mutation that a call is given which writes to it, or deletes
// from it; nil where it is not written there.
func givenMutation(e *event.Event) (mut ssa.Value) {
	if e.Helper != "" {
		return nil
	}
	for i, c := range does(e) {
		given := argument(e, c.Args[0])
		if given == nil || i > 0 && given != mut {
			return nil
		}
		mut = given
	}
	return mut
}

// steady reports whether a case of a write or deletion is, in every turn, of the same family,
// column and so on: the first n arguments, the mutation aside.
func steady(e *event.Event, t *uses.Turn, c summary.Case, n int) bool {
	return !slices.ContainsFunc(c.Args[1:min(n, len(c.Args))], func(a *value.Value) bool { return !t.SteadyValue(a, e.Target.Fn, e.Target.Args) })
}

// singledOut reports whether a write, or a call that leads to it, is done under a
// condition that holds in one turn of a loop only.
func (p *finder) singledOut(e *event.Event) bool {
	return e != nil && (p.turns.SinglesOut(e.Instr) || p.singledOut(e.Source))
}

// sent lists the calls that apply mutations.
func (p *finder) sent(events []*event.Event) func(ssa.CallInstruction) bool {
	calls := map[ssa.Instruction]bool{}
	for _, e := range events {
		if event.Applies(e.Op) {
			calls[e.Instr] = true
		}
	}
	return func(call ssa.CallInstruction) bool { return calls[call] }
}

// repeats reports whether a call, by being repeated, repeats a write: to one cell of one
// mutation with one timestamp.
func (p *finder) repeats(e *event.Event, sent func(ssa.CallInstruction) bool) bool {
	writes := does(e)
	return len(writes) > 0 && slices.ContainsFunc(p.turns.Turns(e.Instr), func(t *uses.Turn) bool {
		return !t.Singled() && !t.Varies(e.Instr) && !slices.ContainsFunc(writes, func(c summary.Case) bool {
			return !steady(e, t, c, event.WriteArgs-1) || !sameMutation(e, t, c.Args[0], sent)
		})
	})
}

// sameMutation reports whether a write comes to the same mutation again.
func sameMutation(e *event.Event, t *uses.Turn, mutation *value.Value, sent func(ssa.CallInstruction) bool) bool {
	if b := mutation.Base(); b.Kind == value.Param && (b.Site == nil || b.Site == any(e.Target.Fn)) {
		given := argument(e, mutation)
		return given != nil && t.Again(given, sent)
	}
	return t.SteadyValue(mutation, e.Target.Fn, e.Target.Args) && t.Again(nil, sent)
}
