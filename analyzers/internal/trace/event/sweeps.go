package event

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/btapi"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/kind"
)

// deletions are the calls that remove cells.
var deletions = map[string]bool{
	btapi.DeleteRow: true, btapi.DeleteCellsInColumn: true, btapi.DeleteCellsInFamily: true,
	btapi.DeleteTimeRange: true, "bigtable.AdminClient.DropRowRange": true,
}

// nearby is how many calls away a deletion may be.
const nearby = 2

// findSweeps marks the scans that may look for what is to be deleted: where
// the function in which one stands, one that it calls or one that calls it
// deletes cells. What a call reaches is such a scan however far away it is.
func (p *Tracer) findSweeps(events []*Event) {
	for _, e := range events {
		p.findSweep(e)
	}
	for _, e := range events {
		for src := e.Source; src != nil && !e.Sweeps; src = src.Source {
			e.Sweeps = src.Sweeps
		}
	}
}

func (p *Tracer) findSweep(e *Event) {
	if e.Op != btapi.ReadRows || e.instr == nil || e.Uses.All || len(e.Uses.Families) > 0 {
		return
	}
	fn := kind.Outermost(e.instr.Parent())
	e.Sweeps = p.deletes(fn, nearby)
	for _, call := range p.Callers[fn] {
		e.Sweeps = e.Sweeps || p.deletes(kind.Outermost(call.Parent()), nearby)
	}
}

// deletes reports whether a function, or one that it calls, deletes cells.
func (p *Tracer) deletes(fn *ssa.Function, depth int) bool {
	if depth == 0 {
		return false
	}
	for _, call := range p.Calls[fn] {
		t, ok := p.Target(call.Common())
		switch {
		case !ok:
		case deletions[t.API], t.Fn != nil && p.deletes(t.Fn, depth-1):
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
		if p.deletes(inner, depth) {
			return true
		}
	}
	return p.givesDeletion(fn, depth)
}

// givesDeletion reports whether a function gives a call a method that deletes
// cells: tbl.ReadRows(ctx, rows, j.each).
func (p *Tracer) givesDeletion(fn *ssa.Function, depth int) bool {
	for _, call := range p.Calls[fn] {
		for _, a := range call.Common().Args {
			mc, ok := a.(*ssa.MakeClosure)
			if !ok || !kind.IsBound(mc.Fn.(*ssa.Function)) {
				continue
			}
			method := p.Pkg.Prog.FuncValue(kind.Object(mc.Fn.(*ssa.Function)))
			if method != nil && p.HasBody(kind.Origin(method)) && p.deletes(kind.Origin(method), depth-1) {
				return true
			}
		}
	}
	return false
}
