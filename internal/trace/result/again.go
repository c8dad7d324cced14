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
			e.Again = e.Source.Again || !p.singledOut(e.Source) && p.repeatsCallee(e, sent)
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
// again.
func (p *finder) findOvertaken(e *event.Event, events []*event.Event, sent func(ssa.CallInstruction) bool) {
	to := givenMutation(e)
	if to == nil || e.Source != nil && p.singledOut(e.Source) {
		return
	}
	ends := func(call ssa.CallInstruction) bool { return sent(call) || p.maySend(call, to) }
	for _, t := range p.turns.Turns(e.Instr) {
		if t.Singled() || t.Varies(e.Instr) || !p.steadyPlace(e, t) {
			continue
		}
		for _, f := range events {
			if f.Op != btapi.Set || f.In != e.In || !t.Holds(f.Instr) {
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

// givenMutation returns the mutation that a call is given which writes to it, or deletes
// from it; nil where it is not written there.
func givenMutation(e *event.Event) ssa.Value {
	if e.Instr == nil || e.Target.Recv != nil || e.ViaField || e.Helper != "" || len(e.Target.Args) == 0 {
		return nil
	}
	if e.Link.Effect == nil {
		return e.Target.Args[0]
	}
	index := -1
	for _, c := range e.Link.Effect.Cases {
		b := c.Args[0].Base()
		if b.Kind != value.Param || b.Site != nil && b.Site != any(e.Target.Fn) || index >= 0 && index != int(b.Num) || int(b.Num) >= len(e.Target.Args) {
			return nil
		}
		index = int(b.Num)
	}
	if index < 0 {
		return nil
	}
	return kind.Stripped(e.Target.Args[index])
}

// steadyPlace reports whether a deletion is, in every turn, of one family, or column.
func (p *finder) steadyPlace(e *event.Event, t *uses.Turn) bool {
	if e.Link.Effect == nil {
		return !slices.ContainsFunc(e.Target.Args[1:], func(a ssa.Value) bool { return a == nil || !t.Steady(a) })
	}
	return !slices.ContainsFunc(e.Link.Effect.Cases, func(c summary.Case) bool {
		return slices.ContainsFunc(c.Args[1:], func(a *value.Value) bool { return !t.SteadyValue(a, e.Target.Fn, e.Target.Args) })
	})
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

// repeats reports whether a call of the client repeats a write.
func (p *finder) repeats(e *event.Event, sent func(ssa.CallInstruction) bool) bool {
	if e.Target.Recv != nil || len(e.Target.Args) != event.WriteArgs {
		return false
	}
	args := e.Target.Args
	if slices.Contains(args[:event.WriteArgs-1], nil) {
		return false // a helper reads the clock
	}
	for _, t := range p.turns.Turns(e.Instr) {
		if t.Steady(args[1]) && t.Steady(args[2]) && t.Steady(args[3]) && !t.Singled() && t.Again(args[0], sent) {
			return true
		}
	}
	return false
}

// repeatsCallee reports whether a call, by being repeated, repeats a write of
// its callee.
func (p *finder) repeatsCallee(e *event.Event, sent func(ssa.CallInstruction) bool) bool {
	if e.Target.Recv != nil || e.ViaField {
		return false
	}
	for _, t := range p.turns.Turns(e.Instr) {
		again := !t.Singled() && !t.Varies(e.Instr)
		for _, c := range e.Link.Effect.Cases {
			again = again && p.steadyCase(e, t, c) && p.sameMutation(e, t, c.Args[0], sent)
		}
		if again {
			return true
		}
	}
	return false
}

// steadyCase reports whether a write of a callee goes, in every turn, to one
// cell with one timestamp.
func (p *finder) steadyCase(e *event.Event, t *uses.Turn, c summary.Case) bool {
	return !slices.ContainsFunc(c.Args[1:4], func(a *value.Value) bool { return !t.SteadyValue(a, e.Target.Fn, e.Target.Args) })
}

// sameMutation reports whether a write of a callee comes to the same mutation
// again.
func (p *finder) sameMutation(e *event.Event, t *uses.Turn, mutation *value.Value, sent func(ssa.CallInstruction) bool) bool {
	if b := mutation.Base(); b.Kind == value.Param && (b.Site == nil || b.Site == any(e.Target.Fn)) {
		if int(b.Num) >= len(e.Target.Args) {
			return false
		}
		return t.Again(kind.Stripped(e.Target.Args[b.Num]), sent)
	}
	return t.SteadyValue(mutation, e.Target.Fn, e.Target.Args) && t.Again(nil, sent)
}
