package rowuse

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/trace/eval"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/summary"
)

// A Finder finds what a program does with rows.
type Finder struct {
	*eval.Evaluator

	paramUses map[paramOf]summary.Uses              // what functions do with rows that they are given
	times     map[*ssa.Function]map[*types.Var]bool // the fields of what functions return that hold times of cells
	checks    map[*ssa.Function]bool                // whether a function checks the time of cells by hand
}

// New returns a finder for a program.
func New(e *eval.Evaluator) *Finder {
	return &Finder{Evaluator: e, paramUses: map[paramOf]summary.Uses{}, checks: map[*ssa.Function]bool{}, times: map[*ssa.Function]map[*types.Var]bool{}}
}
