package way

import "golang.org/x/tools/go/ssa"

// AssumeAfter records that the run comes from a block to where v is used while an
// object is what it is: one that was made at the instruction made, in each turn of a
// loop anew. Where v is what one of several branches has chosen, it is not the choice
// of one from which the block excludes the run: of a switch, each case sets its own.
func (w *Way) AssumeAfter(block *ssa.BasicBlock, made ssa.Instruction, v ssa.Value) {
	for {
		phi, ok := v.(*ssa.Phi)
		if !ok || phi.Parent() != block.Parent() || made.Parent() != block.Parent() {
			return
		}
		at, anew := phi.Block(), made.Block()
		if at == block || !anew.Dominates(block) || !anew.Dominates(at) || !w.Prog.Graphs.ReachableWithout(anew, block, at) || w.Prog.Graphs.ReachableWithout(anew, at, block) {
			return
		}
		i, ok := w.picked[at]
		if !ok || i >= len(at.Preds) {
			return
		}
		if !w.Prog.Graphs.ReachableWithout(anew, block, at.Preds[i]) {
			w.Blocked = true
			return
		}
		v = phi.Edges[i]
	}
}
