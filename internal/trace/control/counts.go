package control

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// TakesTurn reports whether a loop whose header asks whether there is another turn takes
// one whenever it is come to: it counts from a constant to a constant, as over an array.
func TakesTurn(header *ssa.BasicBlock) bool {
	_, n := countedBy(header, header)
	return n > 0
}

// Counts returns the counter of a loop with that header, and how many turns it takes
// unless it is left before, where it counts from a constant to a constant; −1 otherwise.
func Counts(header *ssa.BasicBlock) (counter *ssa.Phi, turns int64) {
	if counter, turns = countedBy(header, header); turns >= 0 && !tests(header, header) {
		return counter, turns
	}
	for _, latch := range header.Preds {
		if header.Dominates(latch) && tests(latch, header) {
			if counter, turns = countedBy(latch, header); turns >= 0 {
				return counter, turns + 1 // it asks after each turn
			}
		}
	}
	return nil, -1
}

// tests reports whether a block asks, after a turn of a loop, whether there is another.
func tests(latch, header *ssa.BasicBlock) bool {
	_, asks := latch.Instrs[len(latch.Instrs)-1].(*ssa.If)
	return asks && latch.Succs[0] == header
}

// countedBy returns the counter that a block compares with a constant, and how often it
// is found to be less.
func countedBy(b, header *ssa.BasicBlock) (counter *ssa.Phi, times int64) {
	cond, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	if !ok {
		return nil, -1
	}
	less, ok := cond.Cond.(*ssa.BinOp)
	if !ok || less.Op != token.LSS || !header.Dominates(b.Succs[0]) {
		return nil, -1
	}
	end, ok := less.Y.(*ssa.Const)
	// Have: i = phi [entry: -1, body: next]; next = i + 1; if next < end, or the same
	// with 0 and i < end.
	at, first := less.X, int64(0)
	if sum, ok := at.(*ssa.BinOp); ok && sum.Op == token.ADD {
		at, first = sum.X, 1
	}
	phi, isPhi := at.(*ssa.Phi)
	if !ok || !isPhi || end.Value == nil || phi.Block() != header {
		return nil, -1
	}
	times = -1
	for i, pred := range header.Preds {
		if header.Dominates(pred) {
			continue
		}
		start, ok := phi.Edges[i].(*ssa.Const)
		if !ok || start.Value == nil || times >= 0 {
			return nil, -1
		}
		times = max(end.Int64()-start.Int64()-first, 0)
	}
	return phi, times
}
