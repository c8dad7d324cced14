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

// LaterTurn returns the header of a loop that counts to two turns or more, or as far as
// callers say, where one of others stands in the loop, and from, which may be nil, does
// not: what the first turn finds, the last does not. The instruction at is in the loop, or
// comes after one of which callers say how many turns it takes.
func (p *Graphs) LaterTurn(from ssa.Instruction, others []ssa.Instruction, at ssa.Instruction) *ssa.BasicBlock {
	for h := at.Block(); h != nil; h = h.Idom() {
		if !IsHeader(h) || from != nil && from.Parent() == at.Parent() && p.InLoop(from.Block(), h) {
			continue
		}
		_, ofCallers := RunsOver(h).(*ssa.Parameter)
		if _, turns := Counts(h); !ofCallers && (turns < 2 || !p.InLoop(at.Block(), h)) {
			continue
		}
		for _, o := range others {
			if o.Parent() == at.Parent() && p.InLoop(o.Block(), h) {
				return h
			}
		}
	}
	return nil
}
