package check

import (
	"go/token"

	"github.com/ttlvet/ttlvet/internal/trace"
)

// A place is a call, by its end, and the client's call that it reaches.
type place struct {
	end   token.Pos
	where string
}

func placeOf(e *trace.Event) place { return place{e.Node.End(), e.Where} }

// Told reports whether something is wrong with an event of which the analyzer says
// nothing there since it says so of what the event's call runs, whoever calls that.
func (o *Outcome) Told(e *trace.Event) bool {
	return e.Node != nil && e.Depth > 0 && o.told[placeOf(e)]
}
