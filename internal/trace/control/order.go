package control

import (
	"cmp"
	"go/constant"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
)

// The order of a function's instructions is asked for each pair of its
// events, so that all that it takes is kept: code generators write functions
// of thousands of branches.

// Graphs are what is known of the control flow of functions.
type Graphs struct {
	graphs  map[*ssa.Function]*flowGraph
	indexes map[ssa.Instruction]int // the places of instructions in their blocks
}

// NewGraphs returns the graphs of no functions: each is made when it is asked
// for.
func NewGraphs() *Graphs {
	return &Graphs{map[*ssa.Function]*flowGraph{}, map[ssa.Instruction]int{}}
}

// MayPrecede reports whether an instruction may run before another of its function, in
// an earlier turn of a loop too.
func (p *Graphs) MayPrecede(a, b ssa.Instruction) bool {
	if a.Parent() != b.Parent() {
		return false
	}
	if a.Block() == b.Block() && p.IndexOf(a) < p.IndexOf(b) {
		return true
	}
	g := p.graph(a.Parent())
	for _, s := range a.Block().Succs {
		if s == b.Block() || g.reach(s, nil).has(b.Block()) {
			return true
		}
	}
	return false
}

// A flowGraph is what is known of the order of a function's blocks.
type flowGraph struct {
	loops  map[*ssa.BasicBlock]*loop   // by their headers
	around map[*ssa.BasicBlock][]*loop // those that a block is part of, by their headers' order
	from   map[way]blockSet
	truths map[*ssa.BasicBlock]map[truth]bool
}

// A loop is the blocks from which control comes back to its header.
type loop struct {
	header *ssa.BasicBlock
	blocks []*ssa.BasicBlock // in the function's order
	has    map[*ssa.BasicBlock]bool
	exits  [][2]*ssa.BasicBlock // the edges by which it is left from its body
}

// A way is a start and the loops of which no further turn counts.
type way struct {
	from  *ssa.BasicBlock
	loops string
}

// A blockSet is a set of blocks by their index.
type blockSet []uint64

func newBlockSet(fn *ssa.Function) blockSet { return make(blockSet, (len(fn.Blocks)+63)/64) }

func (s blockSet) has(b *ssa.BasicBlock) bool { return s[b.Index/64]&(1<<(b.Index%64)) != 0 }

func (s blockSet) add(b *ssa.BasicBlock) { s[b.Index/64] |= 1 << (b.Index % 64) }

func (p *Graphs) graph(fn *ssa.Function) *flowGraph {
	g := p.graphs[fn]
	if g != nil {
		return g
	}
	g = &flowGraph{
		loops: map[*ssa.BasicBlock]*loop{}, around: map[*ssa.BasicBlock][]*loop{},
		from: map[way]blockSet{}, truths: map[*ssa.BasicBlock]map[truth]bool{},
	}
	p.graphs[fn] = g
	for _, header := range fn.Blocks {
		l := &loop{header: header, has: map[*ssa.BasicBlock]bool{header: true}}
		var work []*ssa.BasicBlock
		for _, back := range header.Preds {
			if header.Dominates(back) {
				work = append(work, back)
			}
		}
		if len(work) == 0 {
			continue
		}
		for len(work) > 0 {
			b := work[len(work)-1]
			work = work[:len(work)-1]
			if !l.has[b] {
				l.has[b] = true
				work = append(work, b.Preds...)
			}
		}
		g.add(l)
	}
	return g
}

func (g *flowGraph) add(l *loop) {
	g.loops[l.header] = l
	for b := range l.has {
		l.blocks = append(l.blocks, b)
		g.around[b] = append(g.around[b], l)
	}
	slices.SortFunc(l.blocks, func(a, b *ssa.BasicBlock) int { return cmp.Compare(a.Index, b.Index) })
	for _, b := range l.blocks {
		for _, to := range b.Succs {
			if b != l.header && !l.has[to] {
				l.exits = append(l.exits, [2]*ssa.BasicBlock{b, to})
			}
		}
	}
}

// reach returns the blocks to which control can pass from a block, by one
// step at least and without entering one of the headers.
func (g *flowGraph) reach(from *ssa.BasicBlock, headers []*ssa.BasicBlock) blockSet {
	key := way{from: from}
	for _, h := range headers {
		key.loops += string(rune(h.Index))
	}
	if set, ok := g.from[key]; ok {
		return set
	}
	set, avoid := newBlockSet(from.Parent()), newBlockSet(from.Parent())
	for _, h := range headers {
		avoid.add(h)
	}
	work := []*ssa.BasicBlock{from}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		for _, s := range b.Succs {
			if !set.has(s) && !avoid.has(s) {
				set.add(s)
				work = append(work, s)
			}
		}
	}
	g.from[key] = set
	return set
}

// Precedes reports whether control can pass from a to b without another turn
// of a loop that holds both: a comes before b.
func (p *Graphs) Precedes(a, b ssa.Instruction) bool {
	if a.Parent() != b.Parent() {
		return false
	}
	from, to := a.Block(), b.Block()
	if from == to {
		return p.IndexOf(a) < p.IndexOf(b)
	}
	if from.Dominates(to) {
		return true // the way from the last time that control comes through a
	}
	g := p.graph(a.Parent())
	var common []*ssa.BasicBlock
	for _, l := range g.around[from] {
		if l.has[to] {
			common = append(common, l.header)
		}
	}
	return g.reach(from, common).has(to)
}

// Before reports whether an instruction runs before another of its function each time that
// one runs.
func (p *Graphs) Before(a, b ssa.Instruction) bool {
	if a.Block() == b.Block() {
		return p.IndexOf(a) < p.IndexOf(b)
	}
	return a.Block().Dominates(b.Block())
}

// Reachable reports whether control can pass from one block to another.
func (p *Graphs) Reachable(from, to *ssa.BasicBlock) bool {
	return p.graph(from.Parent()).reach(from, nil).has(to)
}

// Repeats reports whether control can pass from a block to itself.
func (p *Graphs) Repeats(b *ssa.BasicBlock) bool { return p.Reachable(b, b) }

// ReachableWithout reports whether control can pass from one block to another, or
// is there, without coming through a third.
func (p *Graphs) ReachableWithout(third, from, to *ssa.BasicBlock) bool {
	return from == to || p.graph(from.Parent()).reach(from, []*ssa.BasicBlock{third}).has(to)
}

// IndexOf returns the place of an instruction in its block.
func (p *Graphs) IndexOf(at ssa.Instruction) int {
	i, ok := p.indexes[at]
	if !ok {
		for j, instr := range at.Block().Instrs {
			p.indexes[instr] = j
		}
		i = p.indexes[at]
	}
	return i
}

// Index returns the place of an instruction in its block.
func Index(at ssa.Instruction) int {
	for i, instr := range at.Block().Instrs {
		if instr == at {
			return i
		}
	}
	return len(at.Block().Instrs)
}

// A truth is a condition that holds or does not: of a comparison with a
// constant, what is compared and the constant.
type truth struct {
	cond  any
	other string
}

// Exclusive reports whether two blocks are reached under conditions that
// exclude each other.
func (p *Graphs) Exclusive(a, b *ssa.BasicBlock) bool {
	truths := p.conditions(a)
	for cond, holds := range p.conditions(b) {
		if was, ok := truths[cond]; ok && was != holds {
			return true
		}
	}
	return false
}

// conditions returns what holds wherever a block is reached.
func (p *Graphs) conditions(b *ssa.BasicBlock) map[truth]bool {
	g := p.graph(b.Parent())
	if out, ok := g.truths[b]; ok {
		return out
	}
	out := map[truth]bool{}
	g.truths[b] = out
	for at := b; at != nil; at = at.Idom() {
		c, ok := Entry(at)
		if !ok || p.Repeats(at.Preds[0]) && !p.Reachable(b, at.Preds[0]) {
			continue // of a loop, what ended it is said of its last turn only
		}
		c = c.Plain()
		t, holds := truth{cond: c.Cond}, c.Want
		if cmp, ok := c.Cond.(*ssa.BinOp); ok && (cmp.Op == token.EQL || cmp.Op == token.NEQ) {
			if c, ok := cmp.Y.(*ssa.Const); ok {
				t = truth{cmp.X, c.String()}
				holds = holds == (cmp.Op == token.EQL)
			}
		}
		if _, ok := out[t]; !ok {
			out[t] = holds
		}
	}
	return out
}

// Always reports whether an instruction runs whenever its function returns.
func Always(i ssa.Instruction) bool {
	return !slices.ContainsFunc(kind.ReturnsOf(i.Parent()), func(ret *ssa.Return) bool { return !i.Block().Dominates(ret.Block()) })
}

// Dead reports whether control never passes an edge, since constants decide the other
// way: whether a loop over a constant number takes a turn.
func Dead(from, to *ssa.BasicBlock) bool {
	if len(from.Succs) != 2 || from.Succs[0] == from.Succs[1] {
		return false
	}
	op, ok := from.Instrs[len(from.Instrs)-1].(*ssa.If).Cond.(*ssa.BinOp)
	if !ok {
		return false
	}
	x, ok := op.X.(*ssa.Const)
	y, isConst := op.Y.(*ssa.Const)
	if !ok || !isConst || x.Value == nil || y.Value == nil || x.Value.Kind() != y.Value.Kind() {
		return false
	}
	switch op.Op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		return constant.Compare(x.Value, op.Op, y.Value) == (to == from.Succs[1])
	}
	return false
}

// Leaves reports whether control leaves a loop by the edge from its header to a block.
func Leaves(header, to *ssa.BasicBlock) bool {
	return len(header.Succs) == 2 && header.Succs[1] == to && header.Succs[0] != to && IsHeader(header)
}
