package rowuse

import (
	"github.com/ttlvet/ttlvet/internal/trace/celltime"
	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
)

// A Finder finds what a program does with rows.
type Finder struct {
	*celltime.Finder

	paramUses map[paramOf]summary.Uses // what functions do with rows that they are given
}

// New returns a finder for a program.
func New(e *eval.Evaluator) *Finder {
	return &Finder{Finder: celltime.New(e), paramUses: map[paramOf]summary.Uses{}}
}
