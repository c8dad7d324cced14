package result

import (
	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/event"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/uses"
)

// findSweeps marks the scans that may look for what is to be deleted: where
// the function in which one stands, one that it calls or one that calls it
// deletes cells. What a call reaches is such a scan however far away it is.
func (p *finder) findSweeps(events []*event.Event) {
	for _, e := range events {
		p.findSweep(e)
	}
	for _, e := range events {
		for src := e.Source; src != nil && !e.Sweeps; src = src.Source {
			e.Sweeps = src.Sweeps
		}
	}
}

func (p *finder) findSweep(e *event.Event) {
	if e.Op != btapi.ReadRows || e.Instr == nil || e.Uses.All || len(e.Uses.Families) > 0 {
		return
	}
	fn := kind.Outermost(e.Instr.Parent())
	e.Sweeps = e.Sweeps || p.client.Sweeps.Deletes(fn, uses.Nearby)
	for _, call := range p.prog.Callers[fn] {
		e.Sweeps = e.Sweeps || p.client.Sweeps.Deletes(kind.Outermost(call.Parent()), uses.Nearby)
	}
}
