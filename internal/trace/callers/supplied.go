package callers

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/event"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// supplied lists the cases of an event that hang, by way of a field, on what a
// constructor is given.
func (p *Tracer) supplied(e *event.Event) []summary.Case {
	var out []summary.Case
	chosen := map[*ssa.Function]map[string]bool{} // what the conditions of a constructor choose among
	conditions := map[*ssa.Function]map[string]bool{}
	gives := map[*ssa.Function]bool{}
	for _, c := range e.Cases {
		c = ofOneRun(e.Op, p.withoutOwn(e.Op, c, e.In), e.In)
		if event.Applies(e.Op) && c.Args[0].Kind == value.Unknown {
			continue // to a table that only the method's callers know
		}
		owner := p.ownerOf(e.Op, c, e.In)
		if owner == nil || kind.Outermost(owner) == kind.Outermost(e.In) {
			continue
		}
		if chosen[owner] == nil {
			chosen[owner], conditions[owner] = map[string]bool{}, map[string]bool{}
		}
		for _, a := range event.OwnArgs(e.Op, c.Args) {
			gives[owner] = gives[owner] || a.HasParams()
		}
		if len(c.Args) > 0 {
			chosen[owner][summary.ArgString(event.OwnArgs(e.Op, c.Args)[1:])] = true
		}
		conditions[owner][summary.GuardString(c.Guards)] = true
		out = append(out, c)
	}
	// What is the same whichever way a constructor's conditions go is not the
	// constructor's.
	kept := out[:0]
	for _, c := range out {
		owner := p.ownerOf(e.Op, c, e.In)
		if gives[owner] || len(chosen[owner]) != 1 || len(conditions[owner]) < 2 {
			kept = append(kept, c)
		}
	}
	return kept
}
