package way

import "golang.org/x/tools/go/ssa"

// AssumeAfter records that the run comes from a block to where v is used while an
// object is what it is: one that was made at the instruction made, in each turn of a
// loop anew. Of what one of several branches has chosen, and v is made of, v is not made of the
// choice of one from which the block excludes the run: of a switch, each case sets its own.
func (w *Way) AssumeAfter(block *ssa.BasicBlock, made ssa.Instruction, v ssa.Value) {
	anew := made.Block()
	if made.Parent() != block.Parent() || !anew.Dominates(block) {
		return
	}
	seen := map[ssa.Value]bool{}
	for work := []ssa.Value{v}; len(work) > 0; {
		v, work = work[len(work)-1], work[:len(work)-1]
		instr, ok := v.(ssa.Instruction)
		if !ok || seen[v] || instr.Parent() != block.Parent() {
			continue
		}
		seen[v] = true
		phi, ok := v.(*ssa.Phi)
		if !ok {
			for _, op := range instr.Operands(nil) {
				work = append(work, *op)
			}
			continue
		}
		at := phi.Block()
		if at == block || !anew.Dominates(at) || !w.Prog.Graphs.ReachableWithout(anew, block, at) || w.Prog.Graphs.ReachableWithout(anew, at, block) {
			continue
		}
		i, ok := w.picked[at]
		if !ok || i >= len(at.Preds) {
			continue
		}
		if !w.Prog.Graphs.ReachableWithout(anew, block, at.Preds[i]) {
			w.Blocked = true
			return
		}
		work = append(work, phi.Edges[i])
	}
}
