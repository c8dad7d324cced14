package uses

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
)

// Sweeps finds what deletes in a program.
type Sweeps struct{ prog *program.Program }

// NewSweeps returns a finder for a program.
func NewSweeps(p *program.Program) *Sweeps {
	return &Sweeps{p}
}

// deletions are the calls that remove cells.
var deletions = map[string]bool{
	btapi.DeleteRow: true, btapi.DeleteCellsInColumn: true, btapi.DeleteCellsInFamily: true,
	btapi.DeleteTimeRange: true, "bigtable.AdminClient.DropRowRange": true,
}

// writing are the calls that write cells.
var writing = map[string]bool{
	btapi.Set: true, btapi.AddIntToCell: true, btapi.MergeBytesToCell: true, btapi.Increment: true, btapi.AppendValue: true,
}

// reading are the calls that read rows.
var reading = map[string]bool{btapi.ReadRow: true, btapi.ReadRows: true}

// Nearby is how many calls away a deletion may be.
const Nearby = 2

// farAway is how many it may be where all that is done with the cells is followed.
const farAway = 5

// Deletes reports whether a function, or one that it calls or gives to a call, deletes
// cells.
func (p *Sweeps) Deletes(fn *ssa.Function, depth int) bool { return p.does(fn, deletions, depth) }

// Reads reports the same of reading rows.
func (p *Sweeps) Reads(fn *ssa.Function, depth int) bool { return p.does(fn, reading, depth) }

// does reports whether a function makes one of some calls, itself or some calls away.
func (p *Sweeps) does(fn *ssa.Function, what map[string]bool, depth int) bool {
	if depth == 0 {
		return false
	}
	return slices.ContainsFunc(p.prog.Calls[fn], func(call ssa.CallInstruction) bool { return p.leadsTo(call, what, depth) }) ||
		slices.ContainsFunc(fn.AnonFuncs, func(inner *ssa.Function) bool { return p.does(inner, what, depth) })
}

// leadsTo reports the same of a call.
func (p *Sweeps) leadsTo(call ssa.CallInstruction, what map[string]bool, depth int) bool {
	t, ok := p.prog.Target(call.Common())
	if ok && (what[t.API] || t.Fn != nil && p.does(t.Fn, what, depth-1)) {
		return true
	}
	if s := p.prog.Imported(t.Obj); s != nil && slices.ContainsFunc(s.Effects, func(e summary.Effect) bool { return what[e.Op] }) {
		return true
	}
	return slices.ContainsFunc(call.Common().Args, func(a ssa.Value) bool {
		fn := functionOf(p.prog, a) // tbl.ReadRows(ctx, rows, j.each)
		return fn != nil && fn.Parent() == nil && p.does(fn, what, depth-1)
	})
}

// collects reports whether a callback of a scan collects the keys of rows for the
// function around it, which deletes them, and writes and returns nothing that
// they decide: what the cells say decides what is deleted and nothing else.
func (p *Sweeps) collects(callback *ssa.Function) bool {
	outer := callback.Parent()
	if outer == nil || !p.deletesItself(outer) || p.does(outer, writing, Nearby+1) || tells(outer.Signature.Results()) {
		return false
	}
	lists := 0
	for _, b := range callback.Blocks {
		for _, instr := range b.Instrs {
			store, ok := instr.(*ssa.Store)
			if !ok {
				continue
			}
			root, path := p.prog.Address(store.Addr)
			kept, ok := root.(*ssa.Alloc)
			if ok && kept.Parent() == callback {
				continue
			}
			if !ok || len(path) > 0 || !p.deleted(kept, callback) {
				return false
			}
			lists++
		}
	}
	return lists > 0
}

// tells reports whether one of a function's results is more than a number, a
// flag or an error.
func tells(results *types.Tuple) bool {
	for i := range results.Len() {
		t := results.At(i).Type()
		b, basic := t.Underlying().(*types.Basic)
		if !kind.IsError(t) && !(basic && b.Info()&(types.IsNumeric|types.IsBoolean) != 0) {
			return true
		}
	}
	return false
}

// isKeys reports whether a type is a list of texts.
func isKeys(t types.Type) bool {
	list, ok := t.Underlying().(*types.Slice)
	return ok && kind.IsText(list.Elem())
}

// deletesItself reports whether a function deletes beside its callbacks.
func (p *Sweeps) deletesItself(fn *ssa.Function) bool {
	return slices.ContainsFunc(p.prog.Calls[fn], func(call ssa.CallInstruction) bool { return p.leadsTo(call, deletions, Nearby) })
}

// deleted reports whether what a callback keeps in a variable around it is a list
// of keys that is gone through, or given to a call of the client, and nothing
// else.
func (p *Sweeps) deleted(kept *ssa.Alloc, callback *ssa.Function) bool {
	if kept.Parent() != callback.Parent() || !isKeys(kind.Deref(kept.Type())) {
		return false
	}
	for _, r := range *kept.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef, *ssa.Store:
		case *ssa.MakeClosure:
			if r.Fn != ssa.Value(callback) {
				return false
			}
		case *ssa.UnOp:
			if !p.goneThrough(r) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// goneThrough reports whether a list is gone through, or given to what only deletes.
func (p *Sweeps) goneThrough(list *ssa.UnOp) bool {
	for _, r := range *list.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef, *ssa.IndexAddr, *ssa.Range:
		case *ssa.Call:
			s := p.newSweep()
			s.call(thing{v: list}, r)
			if s.run(); s.fails {
				return false
			}
		default:
			return false
		}
	}
	return true
}
