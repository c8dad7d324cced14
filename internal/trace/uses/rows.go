package uses

import (
	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
)

// Rows finds what a program does with rows.
type Rows struct {
	prog  *program.Program
	eval  *eval.Evaluator
	Times *CellTimes

	paramUses map[paramOf]summary.Uses // what functions do with rows that they are given
}

// NewRows returns a finder for a program.
func NewRows(e *eval.Evaluator) *Rows {
	return &Rows{prog: e.Prog, eval: e, Times: NewCellTimes(e), paramUses: map[paramOf]summary.Uses{}}
}
