package trace

import "golang.org/x/tools/go/ssa"

// precedes reports whether control can pass from a to b without returning
// to where it has been: a comes before b.
func precedes(a, b ssa.Instruction) bool {
	if a.Parent() != b.Parent() {
		return false
	}
	if a.Block() == b.Block() {
		return instrIndex(a) < instrIndex(b)
	}
	return reaches(a.Block(), b.Block())
}

// reaches reports whether a path leads from one block to another without
// another turn of a loop that holds both.
func reaches(from, to *ssa.BasicBlock) bool {
	seen := map[*ssa.BasicBlock]bool{}
	var walk func(b *ssa.BasicBlock) bool
	walk = func(b *ssa.BasicBlock) bool {
		if b == to {
			return true
		}
		seen[b] = true
		for _, s := range b.Succs {
			if !seen[s] && !(s.Dominates(b) && loopHolds(s, to)) && walk(s) {
				return true
			}
		}
		return false
	}
	return walk(from)
}

// loopHolds reports whether a block is in the loop, or one of the loops, that
// begin with a header.
func loopHolds(header, b *ssa.BasicBlock) bool {
	seen := map[*ssa.BasicBlock]bool{header: true}
	var walk func(c *ssa.BasicBlock) bool
	walk = func(c *ssa.BasicBlock) bool {
		if c == b {
			return true
		}
		seen[c] = true
		for _, p := range c.Preds {
			if !seen[p] && walk(p) {
				return true
			}
		}
		return false
	}
	for _, back := range header.Preds {
		if header.Dominates(back) && !seen[back] && walk(back) {
			return true
		}
	}
	return b == header
}
