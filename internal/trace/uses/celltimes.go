package uses

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/program"
)

// CellTimes finds what a program does with the times of cells.
type CellTimes struct {
	prog *program.Program
	eval *eval.Evaluator

	Inherited []string // the fields in which the package's imports keep times of cells

	times     map[*ssa.Function][]Held // where functions leave times of cells
	cellTimes map[string]bool          // the fields that hold times of cells; nil before they are asked for
	compared  map[*types.Var]bool      // the fields that are compared of some struct
	checks    map[*ssa.Function]bool   // whether a function checks the time of cells by hand
}

// NewCellTimes returns a finder for a program.
func NewCellTimes(e *eval.Evaluator) *CellTimes {
	return &CellTimes{prog: e.Prog, eval: e, checks: map[*ssa.Function]bool{}, compared: map[*types.Var]bool{}, times: map[*ssa.Function][]Held{}}
}

// A Held says where a function leaves the time of a cell for its callers.
type Held struct {
	Param int        // in what the parameter points to that is the Param-th from 1; 0: in what it returns
	Field *types.Var // the field of that; nil: the time itself is returned
	Left  bool       // how far it is from a moment
}
