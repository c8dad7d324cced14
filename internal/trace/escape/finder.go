package escape

import (
	"go/types"

	"github.com/ttlvet/ttlvet/internal/trace/eval"
)

// A Finder finds who may call the methods of objects.
type Finder struct {
	*eval.Evaluator

	kept map[*types.TypeName]bool // types of other packages whose objects stay in this program
}

// New returns a finder for what an evaluator knows.
func New(e *eval.Evaluator) *Finder { return &Finder{e, map[*types.TypeName]bool{}} }
