package callers

import (
	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/program"
)

// Receivers finds the objects whose methods calls run.
type Receivers struct {
	prog *program.Program
	eval *eval.Evaluator
}

// NewReceivers returns a finder for what an evaluator knows.
func NewReceivers(e *eval.Evaluator) *Receivers { return &Receivers{e.Prog, e} }
