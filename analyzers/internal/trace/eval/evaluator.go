package eval

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/trace/object"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/program"
)

// An Evaluator resolves the values of a program.
type Evaluator struct {
	*object.Objects

	// Trace, where it is not nil, records how values are resolved.
	Trace *Log

	results   map[*ssa.Function]*results
	dynamics  map[ssa.CallInstruction][]program.Target // what calls run that only values tell
	fieldVars map[string]fieldVar                      // by the names of fields in values
	steps     int                                      // evaluated so far
}

// New returns an evaluator of a program.
func New(p *program.Program) *Evaluator {
	e := &Evaluator{
		results:   map[*ssa.Function]*results{},
		dynamics:  map[ssa.CallInstruction][]program.Target{},
		fieldVars: map[string]fieldVar{},
	}
	e.Objects = object.New(p, e)
	return e
}
