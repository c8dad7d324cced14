package control

import "golang.org/x/tools/go/ssa"

// Repeats reports whether control can pass from a block to itself.
func (p *Graphs) Repeats(b *ssa.BasicBlock) bool {
	g := p.graph(b.Parent())
	if g.circles == nil {
		g.circles = circles(b.Parent())
	}
	return g.circles.has(b)
}

// circles returns the blocks of a function that lie on a circle: its strongly connected
// components, found by Tarjan's algorithm, so that each block is looked at once.
func circles(fn *ssa.Function) blockSet {
	out := newBlockSet(fn)
	order, low := make([]int, len(fn.Blocks)), make([]int, len(fn.Blocks))
	var stack []*ssa.BasicBlock
	open := newBlockSet(fn)
	n := 0
	var visit func(b *ssa.BasicBlock)
	visit = func(b *ssa.BasicBlock) {
		n++
		order[b.Index], low[b.Index] = n, n
		stack = append(stack, b)
		open.add(b)
		for _, s := range b.Succs {
			switch {
			case s == b:
				out.add(b)
			case order[s.Index] == 0:
				visit(s)
				low[b.Index] = min(low[b.Index], low[s.Index])
			case open.has(s):
				low[b.Index] = min(low[b.Index], order[s.Index])
			}
		}
		if low[b.Index] != order[b.Index] {
			return
		}
		for several := stack[len(stack)-1] != b; ; {
			top := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			open.remove(top)
			if several {
				out.add(top)
			}
			if top == b {
				return
			}
		}
	}
	for _, b := range fn.Blocks {
		if order[b.Index] == 0 {
			visit(b)
		}
	}
	return out
}

func (s blockSet) remove(b *ssa.BasicBlock) { s[b.Index/64] &^= 1 << (b.Index % 64) }
