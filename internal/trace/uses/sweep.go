package uses

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
)

// Sweeps finds what deletes in a program.
type Sweeps struct {
	prog *program.Program

	onParams map[paramOf]*sweep // what functions do with what they are given
}

// NewSweeps returns a finder for a program.
func NewSweeps(p *program.Program) *Sweeps {
	return &Sweeps{p, map[paramOf]*sweep{}}
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

// Nearby is how many calls away a deletion may be.
const Nearby = 2

// farAway is how many it may be where all that is done with the cells is followed.
const farAway = 5

// Deletes reports whether a function, or one that it calls or gives to a call, deletes
// cells.
func (p *Sweeps) Deletes(fn *ssa.Function, depth int) bool { return p.does(fn, deletions, depth) }

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
