package control

import "golang.org/x/tools/go/ssa"

// Back visits the instructions that may run before another of their function, the last
// first, on each way back until visit tells it to stop. It reports whether a way leads to
// the beginning of the function. A loop that always takes a turn, of which takesTurn tells
// by its header, is not come through from its beginning alone.
func Back(at ssa.Instruction, takesTurn func(header *ssa.BasicBlock) bool, visit func(ssa.Instruction) (stop bool)) (begins bool) {
	type visited struct {
		b    *ssa.BasicBlock
		left bool
	}
	seen := map[visited]bool{}
	var walk func(b *ssa.BasicBlock, from int, left bool)
	walk = func(b *ssa.BasicBlock, from int, left bool) {
		for i := from; i >= 0; i-- {
			if visit(b.Instrs[i]) {
				return
			}
		}
		begins = begins || len(b.Preds) == 0
		for _, pred := range b.Preds {
			if left && !b.Dominates(pred) || Dead(pred, b) {
				continue
			}
			if v := (visited{pred, Leaves(pred, b) && takesTurn(pred)}); !seen[v] {
				seen[v] = true
				walk(pred, len(pred.Instrs)-1, v.left)
			}
		}
	}
	walk(at.Block(), Index(at)-1, false)
	return begins
}
