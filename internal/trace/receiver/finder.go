package receiver

import "github.com/ttlvet/ttlvet/internal/trace/eval"

// A Finder finds the objects whose methods calls run.
type Finder struct{ *eval.Evaluator }

// New returns a finder for what an evaluator knows.
func New(e *eval.Evaluator) *Finder { return &Finder{e} }
