package way

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/control"
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

// pass records that the run comes through a block.
func (w *Way) pass(b *ssa.BasicBlock) {
	if !w.frozen && !w.Prog.Graphs.Repeats(b) {
		w.passed = append(w.passed, b)
	}
}

// Pass records that the run comes through the block of its event, before a literal uses
// what other blocks set together with it.
func (w *Way) Pass(b *ssa.BasicBlock) { w.pass(b) }

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
		for _, c := range w.passed {
			if b.Parent() == c.Parent() && b.Dominates(c) {
				return true
			}
		}
		return w.entered(b)
	})
}

// entered reports whether the way holds the condition under which control
// passes to a block.
func (w *Way) entered(b *ssa.BasicBlock) bool {
	c, ok := control.Entry(b)
	if !ok {
		return false
	}
	c = c.Plain()
	holds, ok := w.conds.assumed[c.Cond]
	return ok && holds == c.Want && !w.conds.varying[c.Cond]
}
