package way

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// skip records that the run passes from one instruction (from the beginning,
// where it is nil) to another without coming through a block, which it has not come
// through before. Other choices may
// need it to: the branches of a switch set several fields together. Of a loop,
// one turn may come through what another does not.
func (w *Way) skip(b *ssa.BasicBlock, from, to ssa.Instruction) {
	first := from == nil || from.Block() != b && from.Block().Dominates(b)
	if w.frozen || !first || b.Parent() != to.Parent() || b.Dominates(to.Block()) || w.Prog.Graphs.Repeats(b) {
		return
	}
	w.skipped = append(w.skipped, b)
}

// Pass records that the run comes through a block: of a store, or of its event, before a
// literal uses what other blocks set together with it.
func (w *Way) Pass(b *ssa.BasicBlock) {
	if !w.frozen && !w.Prog.Graphs.Repeats(b) {
		w.passed = append(w.passed, b)
	}
}

// torn reports whether the run comes through blocks of which one excludes the
// other, or through one that it skips.
func (w *Way) torn() bool {
	for i, b := range w.passed {
		for _, c := range w.passed[i+1:] {
			if b != c && b.Parent() == c.Parent() && w.Prog.Graphs.Exclusive(b, c) {
				return true
			}
		}
	}
	return slices.ContainsFunc(w.skipped, func(b *ssa.BasicBlock) bool {
		return slices.ContainsFunc(w.passed, func(c *ssa.BasicBlock) bool { return b.Parent() == c.Parent() && b.Dominates(c) })
	})
}
