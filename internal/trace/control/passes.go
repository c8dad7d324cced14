package control

import "golang.org/x/tools/go/ssa"

// PassesLoop reports whether control that comes to the instruction at passes a
// loop in which one of others stands, or a call that may run one of them in a
// function literal.
func (p *Graphs) PassesLoop(others []ssa.Instruction, at ssa.Instruction) bool {
	for _, o := range others {
		if o.Parent() != at.Parent() {
			if o.Parent().Parent() != nil {
				return true
			}
			continue
		}
		for h := o.Block(); h != nil; h = h.Idom() {
			if IsHeader(h) && p.InLoop(o.Block(), h) && h.Dominates(at.Block()) && !p.InLoop(at.Block(), h) {
				return true
			}
		}
	}
	return false
}
