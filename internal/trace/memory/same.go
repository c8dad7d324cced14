package memory

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// sameAs lists a pointer and the loads of its function that load the same.
func (p *Memory) sameAs(pointer ssa.Value) []ssa.Value {
	if load, ok := pointer.(*ssa.UnOp); ok {
		return p.samePointers(load)
	}
	return []ssa.Value{pointer}
}

// samePointers lists the loads in a function that load the same pointer as one does,
// itself among them: from a place that the function does not write to.
func (p *Memory) samePointers(load *ssa.UnOp) []ssa.Value {
	out := []ssa.Value{load}
	root, path := p.Prog.Address(load.X)
	if load.Op != token.MUL || root == ssa.Value(load) {
		return out
	}
	var same []ssa.Value
	for _, other := range p.Prog.PartLoads[root] {
		if to, prefix := p.Prog.Address(other.X); other != load && other.Parent() == load.Parent() && to == root && prefix.Equal(path) {
			same = append(same, other)
		}
	}
	if len(same) == 0 {
		return out
	}
	place := p.Prog.Heap().Place(load.X)
	for _, w := range place.Writers() {
		if w.Parent() == load.Parent() && !p.Prog.Graphs.Precedes(w, load) {
			return out
		}
	}
	for _, w := range place.Writers() {
		for _, other := range same {
			if w.Parent() == load.Parent() && !p.Prog.Graphs.Precedes(w, other.(*ssa.UnOp)) {
				return out
			}
		}
	}
	for _, call := range p.Prog.Calls[load.Parent()] {
		if place.Written(call) {
			return out
		}
	}
	return append(out, same...)
}
