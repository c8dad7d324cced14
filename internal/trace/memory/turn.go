package memory

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/control"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/value"
)

// takesTurn reports whether the loop with that header takes a turn whenever it is come
// to: it counts to a constant, or to the end of a list that is known.
func (p *history) takesTurn(header *ssa.BasicBlock) bool {
	return control.TakesTurn(header) || len(p.ranged(header)) > 0
}

// ranged returns the elements of the list that the loop with that header runs over,
// where they are known.
func (p *history) ranged(header *ssa.BasicBlock) []*value.Value {
	over := control.RunsOver(header)
	if over == nil {
		return nil
	}
	return p.elementsOf(over)
}

// elementsOf returns the elements of a list, where they are known on all ways.
func (p *history) elementsOf(list ssa.Value) []*value.Value {
	if _, isMap := list.Type().Underlying().(*types.Map); isMap {
		return nil
	}
	v, decided := p.asked(list)
	l := v.Base()
	if !decided || l.Kind != value.List {
		return nil
	}
	for _, e := range l.Args {
		if e.Is(value.Spread) {
			return nil
		}
	}
	return l.Args
}

// inTurn returns the store of the turn of a loop that writes to a part of a variable,
// where the loop writes to each element of a list by the pointer root, and the variable
// is one of them. It reports whether it is known which elements those are.
func (p *history) inTurn(root ssa.Value, rel kind.PathTo, s *ssa.Store, a *ssa.Alloc, path kind.PathTo, at ssa.Instruction) (t *within, known bool) {
	load, ok := root.(*ssa.UnOp)
	if !ok {
		return nil, false
	}
	ia, ok := load.X.(*ssa.IndexAddr)
	if !ok {
		return nil, false
	}
	counter := kind.LoopVariable(ia.Index)
	if counter == nil {
		return nil, false
	}
	elements, turn := p.elementsOf(ia.X), -1
	var whole kind.PathTo
	for i, e := range elements {
		part := p.p.madeAs(e)
		if part == nil {
			return nil, false
		}
		to := append(part.Path[:len(part.Path):len(part.Path)], rel...)
		switch {
		case part.Alloc != a || !path.HasPrefix(to) && !to.HasPrefix(path) && !to.Meets(path):
		case turn >= 0 || !path.HasPrefix(to):
			return nil, false // in two turns, or a part of it
		default:
			turn, whole = i, to
		}
	}
	header := counter.Block()
	switch {
	case elements == nil:
		return nil, false
	case turn < 0:
		return nil, true
	case p.p.Prog.Graphs.Repeats(a.Block()), p.p.Prog.Graphs.InLoop(at.Block(), header), !p.eachTurn(s, header), !p.through(header, len(elements)):
		return nil, false
	}
	return &within{loop: counter, turn: turn, store: s, path: whole}, true
}

// eachTurn reports whether an instruction runs in each turn of a loop.
func (p *history) eachTurn(s ssa.Instruction, header *ssa.BasicBlock) bool {
	for _, latch := range header.Preds {
		if header.Dominates(latch) && !s.Block().Dominates(latch) {
			return false
		}
	}
	return len(p.p.Prog.Graphs.Exits(header)) == 0
}

// through reports whether a loop takes n turns.
func (p *history) through(header *ssa.BasicBlock, n int) bool {
	if _, turns := control.Counts(header); turns >= 0 {
		return int(turns) == n
	}
	return len(p.ranged(header)) == n
}
