package uses

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
)

// Flows finds what the containers of a program may hold.
type Flows struct {
	*eval.Evaluator

	flowing map[*ssa.Function][]summary.Flow // what functions put in their parameters
	holds   map[resultOf]Contents            // what functions return
	filled  map[location]*fillings           // what is put in objects
}

// NewFlows returns the flows of a program.
func NewFlows(e *eval.Evaluator) *Flows {
	return &Flows{Evaluator: e, flowing: map[*ssa.Function][]summary.Flow{}, holds: map[resultOf]Contents{}}
}
