package way

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/instant"
	"github.com/ttlvet/ttlvet/internal/trace/control"
)

// Ahead tells the way that its event has no effect unless control passes
// through a block after it: what is put together comes to nothing where it is
// not used.
func (w *Way) Ahead(block *ssa.BasicBlock) { w.ahead = block }

// AssumeLeft records the conditions under which what the run's event, in a block, makes
// gets anywhere: without that it comes to nothing.
func (w *Way) AssumeLeft(get control.Get, event *ssa.BasicBlock) {
	if get.To != nil {
		w.assumeEdge(get.From, get.To, &w.When)
	}
	w.AssumeBlock(get.From, event, &w.When)
}

// idle reports whether the choices of the run decide that control does not pass
// through the block that its event needs.
func (w *Way) idle() bool {
	if w.ahead == nil || w.place == nil || w.ahead.Parent() != w.place.Parent() {
		return false
	}
	for b := w.ahead; b != nil && !b.Dominates(w.place); b = b.Idom() {
		c, ok := control.Entry(b)
		if !ok || w.Prog.Graphs.Header(b.Preds[0], b) != nil || turns(c.Cond) || w.conds.ofFailure(c.Cond) {
			continue
		}
		v, decided := w.EvalFrozen(c.Cond)
		if holds, ok := instant.Decide(v); ok && decided && !varies(v) && holds != c.Want {
			return true
		}
	}
	return false
}
