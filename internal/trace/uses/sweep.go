package uses

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
)

// Sweeps finds what deletes in a program.
type Sweeps struct {
	*program.Program

	asks     map[*ssa.Function]bool // whether a function of cells only says which they are
	followed map[*ssa.Function]bool // functions whose results are followed where they are called
}

// NewSweeps returns a finder for a program.
func NewSweeps(p *program.Program) *Sweeps {
	return &Sweeps{p, map[*ssa.Function]bool{}, map[*ssa.Function]bool{}}
}

// deletions are the calls that remove cells.
var deletions = map[string]bool{
	btapi.DeleteRow: true, btapi.DeleteCellsInColumn: true, btapi.DeleteCellsInFamily: true,
	btapi.DeleteTimeRange: true, "bigtable.AdminClient.DropRowRange": true,
}

// Nearby is how many calls away a deletion may be.
const Nearby = 2

// farAway is how many it may be where all that is done with the cells is followed.
const farAway = 5

// Deletes reports whether a function, or one that it calls, deletes cells.
func (p *Sweeps) Deletes(fn *ssa.Function, depth int) bool {
	if depth == 0 {
		return false
	}
	for _, call := range p.Calls[fn] {
		t, ok := p.Target(call.Common())
		switch {
		case !ok:
		case deletions[t.API], t.Fn != nil && p.Deletes(t.Fn, depth-1):
			return true
		case t.Obj != nil:
			if s := p.Imported(t.Obj); s != nil {
				for _, e := range s.Effects {
					if deletions[e.Op] {
						return true
					}
				}
			}
		}
	}
	for _, inner := range fn.AnonFuncs {
		if p.Deletes(inner, depth) {
			return true
		}
	}
	return p.givesDeletion(fn, depth)
}

// givesDeletion reports whether a function gives a call a method that deletes
// cells: tbl.ReadRows(ctx, rows, j.each).
func (p *Sweeps) givesDeletion(fn *ssa.Function, depth int) bool {
	for _, call := range p.Calls[fn] {
		for _, a := range call.Common().Args {
			mc, ok := a.(*ssa.MakeClosure)
			if !ok || !kind.IsBound(mc.Fn.(*ssa.Function)) {
				continue
			}
			method := p.Pkg.Prog.FuncValue(kind.Object(mc.Fn.(*ssa.Function)))
			if method != nil && p.HasBody(kind.Origin(method)) && p.Deletes(kind.Origin(method), depth-1) {
				return true
			}
		}
	}
	return false
}
