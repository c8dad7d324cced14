package rowuse

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/trace/eval"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/summary"
)

// A Finder finds what a program does with rows.
type Finder struct {
	*eval.Evaluator

	paramUses map[paramOf]summary.Uses // what functions do with rows that they are given
	checks    map[*ssa.Function]bool   // whether a function checks the time of cells by hand
}

// New returns a finder for a program.
func New(e *eval.Evaluator) *Finder {
	return &Finder{Evaluator: e, paramUses: map[paramOf]summary.Uses{}, checks: map[*ssa.Function]bool{}}
}
