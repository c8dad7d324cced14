package control

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
)

// A Condition is a condition of a branch with the truth that it has.
type Condition struct {
	Cond ssa.Value
	Want bool
	Or   []Condition // or one of these holds
}

// Exits returns the edges by which a loop is left from its body: break,
// return, goto. The header is the block in which the loop asks whether it
// goes on.
func (p *Graphs) Exits(header *ssa.BasicBlock) [][2]*ssa.BasicBlock {
	if l := p.graph(header.Parent()).loops[header]; l != nil {
		return l.exits
	}
	return nil
}

// InLoop reports whether a block is part of the loop with that header: not
// what comes after it in the turn of a loop around it.
func (p *Graphs) InLoop(b, header *ssa.BasicBlock) bool {
	if b == header {
		return true
	}
	l := p.graph(header.Parent()).loops[header]
	return l != nil && l.has[b]
}

// Header returns the innermost loop that control leaves, or turns back to the
// beginning of, when it passes from one block to another; nil when it leaves
// none.
func (p *Graphs) Header(from, to *ssa.BasicBlock) *ssa.BasicBlock {
	var inner *loop
	for _, l := range p.graph(from.Parent()).around[from] {
		if l.header.Dominates(from) && (inner == nil || inner.header.Dominates(l.header)) {
			inner = l
		}
	}
	if inner == nil || inner.has[to] {
		return nil
	}
	return inner.header
}

// IsHeader reports whether control comes back to a block from one that it
// dominates.
func IsHeader(b *ssa.BasicBlock) bool {
	for _, pred := range b.Preds {
		if b.Dominates(pred) {
			return true
		}
	}
	return false
}

// Conditions lists what must hold for control to pass, in one turn of the
// loop with that header, from its beginning over the edge from one block to
// another.
func Conditions(header, from, to *ssa.BasicBlock) []Condition {
	return conditions(header, from, to, false)
}

// Between lists what must hold for control to pass from a block, with what it asks
// itself, over the edge from one block to another.
func Between(first, from, to *ssa.BasicBlock) []Condition {
	return conditions(first, from, to, true)
}

func conditions(first, from, to *ssa.BasicBlock, asked bool) []Condition {
	var out []Condition
	add := func(c Condition, ok bool) {
		if ok {
			out = append(out, c)
		}
	}
	add(Edge(from, to))
	for b := from; b != nil && b != first; b = b.Idom() {
		if len(b.Preds) == 1 {
			if b.Preds[0] != first || asked {
				add(Entry(b))
			}
			continue
		}
		var any Condition
		for _, pred := range b.Preds {
			c, ok := Edge(pred, b)
			if !ok {
				any.Or = nil
				break
			}
			any.Or = append(any.Or, c)
		}
		add(any, len(any.Or) > 0)
	}
	return out
}

// Edge returns the condition under which control passes from one block to the next; false
// where there is none.
func Edge(from, to *ssa.BasicBlock) (Condition, bool) {
	branch, ok := from.Instrs[len(from.Instrs)-1].(*ssa.If)
	if !ok || from.Succs[0] == from.Succs[1] {
		return Condition{}, false
	}
	return Condition{Cond: branch.Cond, Want: from.Succs[0] == to}, true
}

// Entry is [Edge] into a block to which one leads.
func Entry(to *ssa.BasicBlock) (Condition, bool) {
	if len(to.Preds) != 1 {
		return Condition{}, false
	}
	return Edge(to.Preds[0], to)
}

// Plain returns a condition without negations around what it asks.
func (c Condition) Plain() Condition {
	for {
		not, ok := c.Cond.(*ssa.UnOp)
		if !ok || not.Op != token.NOT {
			return c
		}
		c.Cond, c.Want = not.X, !c.Want
	}
}

// RunsOver returns the slice or map that the loop with that header runs over,
// or nil.
func RunsOver(header *ssa.BasicBlock) ssa.Value {
	over, _, _ := Elements(header)
	return over
}

// Elements returns the slice or map that the loop with that header runs over, what takes
// its elements one by one — the counter, or the step of an iterator — and where the loop
// begins to; nil of other loops.
func Elements(header *ssa.BasicBlock) (over ssa.Value, by ssa.Value, at ssa.Instruction) {
	for _, instr := range header.Instrs {
		switch instr := instr.(type) {
		case *ssa.Next:
			if r, ok := instr.Iter.(*ssa.Range); ok {
				return r.X, instr, r
			}
		case *ssa.If:
			// i < len(list), computed before the loop or in its header.
			cmp, ok := instr.Cond.(*ssa.BinOp)
			if !ok || cmp.Op != token.LSS {
				return nil, nil, nil
			}
			if counter, length := kind.LoopVariable(cmp.X), kind.Builtin(cmp.Y, "len"); counter != nil && length != nil {
				return length.Call.Args[0], counter, length
			}
		}
	}
	return nil, nil, nil
}

// EachOf reports whether a value is, in each turn of the loop with that header over all
// of a slice, from the first on, the next element.
func EachOf(header *ssa.BasicBlock, element ssa.Value) bool {
	over := RunsOver(header)
	load, ok := element.(*ssa.UnOp)
	if over == nil || !ok {
		return false
	}
	at, ok := load.X.(*ssa.IndexAddr)
	if !ok || at.X != over {
		return false
	}
	counter, first := kind.LoopVariable(at.Index), int64(0)
	if counter == nil || counter.Block() != header {
		return false
	}
	if at.Index != ssa.Value(counter) {
		first = -1 // it is counted before it is used
	}
	start, ok := kind.CounterStart(counter)
	branch, _ := header.Instrs[len(header.Instrs)-1].(*ssa.If)
	return ok && start == first && branch != nil && branch.Cond.(*ssa.BinOp).X == at.Index
}
