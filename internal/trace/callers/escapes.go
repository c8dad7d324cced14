package callers

import (
	"github.com/ttlvet/ttlvet/internal/trace/eval"
)

// Escapes finds who may call the methods of objects.
type Escapes struct {
	*eval.Evaluator
}

// NewEscapes returns a finder for what an evaluator knows.
func NewEscapes(e *eval.Evaluator) *Escapes { return &Escapes{e} }
