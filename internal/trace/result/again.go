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
// with one timestamp. Events come after those that they lead to.
func (p *finder) findAgain(events []*event.Event) {
	sent := p.sent(events)
	done := map[*event.Event]bool{}
	var find func(e *event.Event)
	find = func(e *event.Event) {
		if e.Op != btapi.Set || done[e] || e.Instr == nil {
			return
		}
		done[e] = true
		e.Link.Few = p.turns.SinglesOut(e.Instr)
		if e.Link.Effect == nil {
			e.Again = p.repeats(e, sent)
			return
		}
		few := e.Link.Effect.Few
		e.Link.AgainIn = e.Link.Effect.Again
		if e.Source != nil {
			find(e.Source)
			e.Link.AgainIn, few = e.Source.Again, e.Source.Link.Few
		}
		e.Link.Few = e.Link.Few || few
		e.Again = e.Link.AgainIn || !few && p.repeatsCallee(e, sent)
	}
	for _, e := range events {
		find(e)
	}
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
	for _, a := range c.Args[1:4] {
		if !t.SteadyValue(a, e.Target.Fn, e.Target.Args) {
			return false
		}
	}
	for _, g := range append(c.Guards[:len(c.Guards):len(c.Guards)], c.When...) {
		if t.SingledBy(g, e.Target.Fn, e.Target.Args) {
			return false
		}
	}
	return true
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
