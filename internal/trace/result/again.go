package result

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/event"
)

// findAgain finds the writes that are repeated to one cell of one mutation
// with one timestamp, and the calls that lead to those.
func (p *finder) findAgain(events []*event.Event) {
	sent := p.sent(events)
	for _, e := range events {
		if e.Op == btapi.Set && e.Instr != nil && e.Link.Effect == nil {
			e.Again = p.repeats(e, sent)
		}
	}
	for _, e := range events {
		if root := e.Root(); root.Link.Effect != nil {
			e.Again = root.Link.Effect.Again
		} else {
			e.Again = root.Again
		}
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
