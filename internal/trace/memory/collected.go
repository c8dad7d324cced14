package memory

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/control"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"

	"github.com/ttlvet/ttlvet/internal/value"
)

// collected resolves a variable to the list that a loop before a load has appended to, by
// one of the stores that may reach the load; nil where that is not the only store from the
// loop on.
func (p *Reader) collected(a *ssa.Alloc, defs []program.Store, at ssa.Instruction) *value.Value {
	for _, d := range defs {
		items := appended(d, a)
		if items == nil || at == nil || d.At.Parent() != at.Parent() {
			continue
		}
		for h := d.At.Block(); h != nil; h = h.Idom() {
			if !control.IsHeader(h) || !p.p.Prog.Graphs.InLoop(d.At.Block(), h) {
				continue
			}
			before := into(h)
			// A store that the append overwrites in each turn begins the list anew.
			alone := !slices.ContainsFunc(p.p.Prog.Stores[a], func(o program.Store) bool {
				return o.At != d.At && (o.At.Parent() != at.Parent() || p.p.Prog.Graphs.Reachable(h, o.At.Block()))
			})
			if before == nil || !alone || p.p.Prog.Graphs.InLoop(at.Block(), h) || !h.Dominates(at.Block()) {
				return nil
			}
			return p.Way.Collected(h, items, d.At, func() *value.Value { return p.stored(a, nil, before) })
		}
	}
	return nil
}

// into returns where control comes to a loop from before it, nil where that is not one
// place.
func into(header *ssa.BasicBlock) (at ssa.Instruction) {
	for _, pred := range header.Preds {
		switch {
		case header.Dominates(pred):
		case at != nil:
			return nil
		default:
			at = pred.Instrs[len(pred.Instrs)-1]
		}
	}
	return at
}

// appended returns the items that a store appends to the variable to which it stores, nil
// where it does not.
func appended(d program.Store, to *ssa.Alloc) ssa.Value {
	call := kind.Builtin(d.Val, "append")
	if call == nil || len(d.Path) > 0 || len(call.Call.Args) != 2 {
		return nil
	}
	if load, ok := call.Call.Args[0].(*ssa.UnOp); ok && load.Op == token.MUL && load.X == ssa.Value(to) {
		return call.Call.Args[1]
	}
	return nil
}
