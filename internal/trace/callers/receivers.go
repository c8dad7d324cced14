package callers

import "github.com/ttlvet/ttlvet/internal/trace/eval"

// Receivers finds the objects whose methods calls run.
type Receivers struct{ *eval.Evaluator }

// NewReceivers returns a finder for what an evaluator knows.
func NewReceivers(e *eval.Evaluator) *Receivers { return &Receivers{e} }
