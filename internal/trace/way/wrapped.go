package way

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
)

// enters returns what a table is before the first turn of a loop that wraps it
// in each: what is wrapped twice is the same table. It is nil of anything else.
func enters(v ssa.Value) ssa.Value {
	phi, ok := v.(*ssa.Phi)
	if !ok || !kind.TableLike(phi.Type()) {
		return nil
	}
	var first ssa.Value
	for i, pred := range phi.Block().Preds {
		if phi.Block().Dominates(pred) {
			continue
		}
		if first != nil {
			return nil
		}
		first = phi.Edges[i]
	}
	return first
}
