package celltime

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/trace/eval"
)

// A Finder finds what a program does with the times of cells.
type Finder struct {
	*eval.Evaluator

	times  map[*ssa.Function]map[*types.Var]bool // the fields of what functions return that hold times of cells
	checks map[*ssa.Function]bool                // whether a function checks the time of cells by hand
}

// New returns a finder for a program.
func New(e *eval.Evaluator) *Finder {
	return &Finder{Evaluator: e, checks: map[*ssa.Function]bool{}, times: map[*ssa.Function]map[*types.Var]bool{}}
}

// Times returns the fields of what a function returns that hold times of the cells
// which it is given, nil for the time itself, as far as that has been found.
func (p *Finder) Times(fn *ssa.Function) map[*types.Var]bool { return p.times[fn] }
