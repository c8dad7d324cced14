package event

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/trace/eval"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/flow"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/program"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/repeat"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/rowuse"
	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// A Tracer finds the events of a program.
type Tracer struct {
	*eval.Evaluator
	Flows *flow.Flows
	Rows  *rowuse.Finder
	Turns *repeat.Finder

	effects      map[*ssa.Function][]effect
	effectKeys   map[*ssa.Function]map[string]bool
	applications map[ssa.Value]*application // of mutations
	raw          map[any][]*value.Value     // the tables of raw requests, by the messages in them
	kept         map[*types.TypeName]bool   // types of other packages whose objects stay in this program
}

// NewTracer returns a tracer of a program.
func NewTracer(p *program.Program) *Tracer {
	e := eval.New(p)
	return &Tracer{
		Evaluator:    e,
		Flows:        flow.New(e),
		Rows:         rowuse.New(e),
		Turns:        repeat.New(e),
		effects:      map[*ssa.Function][]effect{},
		effectKeys:   map[*ssa.Function]map[string]bool{},
		applications: map[ssa.Value]*application{},
		kept:         map[*types.TypeName]bool{},
	}
}
