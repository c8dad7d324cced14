package callers

import (
	"go/types"

	"github.com/ttlvet/ttlvet/internal/trace/eval"
)

// Escapes finds who may call the methods of objects.
type Escapes struct {
	*eval.Evaluator

	kept map[*types.TypeName]bool // types of other packages whose objects stay in this program
}

// NewEscapes returns a finder for what an evaluator knows.
func NewEscapes(e *eval.Evaluator) *Escapes { return &Escapes{e, map[*types.TypeName]bool{}} }
