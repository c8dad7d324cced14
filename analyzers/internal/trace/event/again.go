package event

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/btapi"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/kind"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/repeat"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/summary"
	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// findAgain finds the writes that are repeated to one cell of one mutation
// with one timestamp. Events come after those that they lead to.
func (p *Tracer) findAgain(events []*Event) {
	sent := p.sent(events)
	done := map[*Event]bool{}
	var find func(e *Event)
	find = func(e *Event) {
		if e.Op != btapi.Set || done[e] || e.instr == nil {
			return
		}
		done[e] = true
		e.few = p.Turns.SinglesOut(e.instr)
		if e.effect == nil {
			e.Again = p.repeats(e, sent)
			return
		}
		few := e.effect.Few
		e.againIn = e.effect.Again
		if e.Source != nil {
			find(e.Source)
			e.againIn, few = e.Source.Again, e.Source.few
		}
		e.few = e.few || few
		e.Again = e.againIn || !few && p.repeatsCallee(e, sent)
	}
	for _, e := range events {
		find(e)
	}
}

// sent lists the calls that apply mutations.
func (p *Tracer) sent(events []*Event) func(ssa.CallInstruction) bool {
	calls := map[ssa.Instruction]bool{}
	for _, e := range events {
		if applies(e.Op) {
			calls[e.instr] = true
		}
	}
	return func(call ssa.CallInstruction) bool { return calls[call] }
}

// repeats reports whether a call of the client repeats a write.
func (p *Tracer) repeats(e *Event, sent func(ssa.CallInstruction) bool) bool {
	if e.target.Recv != nil || len(e.target.Args) != writeArgs {
		return false
	}
	args := e.target.Args
	if slices.Contains(args[:writeArgs-1], nil) {
		return false // a helper reads the clock
	}
	for _, t := range p.Turns.Turns(e.instr) {
		if t.Steady(args[1]) && t.Steady(args[2]) && t.Steady(args[3]) && !t.Singled() && t.Again(args[0], sent) {
			return true
		}
	}
	return false
}

// repeatsCallee reports whether a call, by being repeated, repeats a write of
// its callee.
func (p *Tracer) repeatsCallee(e *Event, sent func(ssa.CallInstruction) bool) bool {
	if e.target.Recv != nil || e.ViaField {
		return false
	}
	for _, t := range p.Turns.Turns(e.instr) {
		again := !t.Singled()
		for _, c := range e.effect.Cases {
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
func (p *Tracer) steadyCase(e *Event, t *repeat.Turn, c summary.Case) bool {
	for _, a := range c.Args[1:4] {
		if !t.SteadyValue(a, e.target.Fn, e.target.Args) {
			return false
		}
	}
	for _, g := range append(c.Guards[:len(c.Guards):len(c.Guards)], c.When...) {
		if t.SingledBy(g, e.target.Fn, e.target.Args) {
			return false
		}
	}
	return true
}

// sameMutation reports whether a write of a callee comes to the same mutation
// again.
func (p *Tracer) sameMutation(e *Event, t *repeat.Turn, mutation *value.Value, sent func(ssa.CallInstruction) bool) bool {
	if b := mutation.Base(); b.Kind == value.Param && (b.Site == nil || b.Site == any(e.target.Fn)) {
		if int(b.Num) >= len(e.target.Args) {
			return false
		}
		return t.Again(kind.Stripped(e.target.Args[b.Num]), sent)
	}
	return t.SteadyValue(mutation, e.target.Fn, e.target.Args) && t.Again(nil, sent)
}
