package callers

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/event"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
)

// purge marks the event of a scan at the call of a function that hands its rows on, to
// a function that the call gives it, to the loops over the iterator which it returns or
// to its caller, as that of one that deletes, where those use cells for nothing else.
// uses are what the function does with the rows.
func (p *Tracer) purge(e *event.Event, call ssa.CallInstruction, t program.Target, uses summary.Uses) {
	if e.Op != btapi.ReadRows || uses.All || len(uses.Families)+len(uses.FamilyParams)+len(uses.Given) > 0 {
		return
	}
	callback := uses.Callback - 1
	if t.Recv != nil {
		callback--
	}
	switch {
	case callback >= 0 && callback < len(t.Args) && p.Client.Sweeps.Callback(t.Args[callback]),
		uses.Yields > 0 && p.Client.Sweeps.Loops(call),
		uses.Returned && p.Client.Sweeps.Caller(call):
		e.DeletesOnly()
	}
}
