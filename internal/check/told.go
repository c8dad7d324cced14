package check

import (
	"go/token"

	"github.com/ttlvet/ttlvet/internal/trace"
)

// A reach is a call, by its end, and the client's call that it reaches.
type reach struct {
	end   token.Pos
	where string
}

func reachOf(e *trace.Event) reach { return reach{e.Node.End(), e.Where} }

// Told reports whether something is wrong with an event of which the analyzer says
// nothing there since it says so of what the event's call runs, whoever calls that.
func (o *Outcome) Told(e *trace.Event) bool {
	return e.Node != nil && e.Depth > 0 && o.told[reachOf(e)]
}
