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
	}
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
