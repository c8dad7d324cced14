package callers

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/trace/event"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/program"
)

// A Tracer hands events on to the callers of their functions.
type Tracer struct {
	*event.Tracer

	effects    map[*ssa.Function][]effect
	effectKeys map[*ssa.Function]map[string]bool
	kept       map[*types.TypeName]bool // types of other packages whose objects stay in this program
}

// New returns a tracer of a program.
func New(p *program.Program) *Tracer {
	return &Tracer{
		Tracer:     event.NewTracer(p),
		effects:    map[*ssa.Function][]effect{},
		effectKeys: map[*ssa.Function]map[string]bool{},
		kept:       map[*types.TypeName]bool{},
	}
}

// Events lists the client's own calls, and those that lead to them.
func (p *Tracer) Events() []*event.Event {
	return p.derive(append(p.Own(), p.uncalled()...))
}
