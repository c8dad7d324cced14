package rowuse

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/btapi"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/kind"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/program"
)

// A scan that deletes cell by cell looks at the cells to say which: at their
// columns and timestamps, which go nowhere but into deletions.

// SweepsCells reports whether the callback of a scan uses cells only to delete
// them.
func (p *Finder) SweepsCells(t program.Target) bool {
	if t.API != btapi.ReadRows || t.Recv != nil || len(t.Args) < 4 {
		return false
	}
	var fn *ssa.Function
	switch f := t.Args[3].(type) {
	case *ssa.MakeClosure:
		fn = f.Fn.(*ssa.Function)
	case *ssa.Function:
		fn = f
	}
	if fn != nil && kind.IsBound(fn) {
		fn = p.Pkg.Prog.FuncValue(kind.Object(fn))
	}
	return fn != nil && p.HasBody(fn) && p.Deletes(fn, Nearby) && p.onlyDeletesCells(fn)
}

func (p *Finder) onlyDeletesCells(fn *ssa.Function) bool {
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			if !p.sparesCells(instr) {
				return false
			}
		}
	}
	for _, inner := range fn.AnonFuncs {
		if !p.onlyDeletesCells(inner) {
			return false
		}
	}
	return true
}

// sparesCells reports whether an instruction uses no cell but to delete it.
func (p *Finder) sparesCells(instr ssa.Instruction) bool {
	switch instr := instr.(type) {
	case *ssa.FieldAddr:
		if btapi.Type(kind.Deref(instr.X.Type())) == "bigtable.ReadItem" {
			return p.fieldDeleted(kind.FieldOf(instr), instr)
		}
	case *ssa.Field:
		if btapi.Type(instr.X.Type()) == "bigtable.ReadItem" {
			return p.fieldDeleted(kind.StructField(instr.X.Type(), instr.Field), instr)
		}
	case *ssa.Store:
		_, local := instr.Addr.(*ssa.Alloc)
		return local || !kind.CarriesCells(instr.Val.Type())
	case *ssa.MakeInterface:
		return !kind.CarriesCells(instr.X.Type())
	case *ssa.Send:
		return !kind.CarriesCells(instr.X.Type())
	case *ssa.MapUpdate:
		return !kind.CarriesCells(instr.Value.Type())
	case ssa.CallInstruction:
		if t, ok := p.Target(instr.Common()); ok && t.API == "bigtable.Row.Key" {
			return true
		}
		if b, ok := instr.Common().Value.(*ssa.Builtin); ok && b.Name() == "len" {
			return true
		}
		for _, a := range instr.Common().Args {
			if kind.CarriesCells(a.Type()) {
				return false
			}
		}
	}
	return true
}

// fieldDeleted reports whether a field of a cell says nothing but what to delete.
func (p *Finder) fieldDeleted(f *types.Var, v ssa.Value) bool {
	return f != nil && (f.Name() == "Row" || f.Name() != "Value" && p.onlyNamesDeleted(v, 8))
}

// onlyNamesDeleted reports whether a value goes into deletions and conditions
// only.
func (p *Finder) onlyNamesDeleted(v ssa.Value, depth int) bool {
	refs := v.Referrers()
	if refs == nil || depth == 0 {
		return false
	}
	for _, r := range *refs {
		switch r := r.(type) {
		case *ssa.DebugRef, *ssa.If:
		case *ssa.UnOp, *ssa.Convert, *ssa.ChangeType, *ssa.BinOp, *ssa.Slice, *ssa.Extract, *ssa.Phi:
			if u := r.(ssa.Value); !kind.IsBool(u.Type()) && !p.onlyNamesDeleted(u, depth-1) {
				return false
			}
		case *ssa.Store:
			a, ok := r.Addr.(*ssa.Alloc)
			if !ok || r.Val != v || !p.onlyNamesDeleted(a, depth-1) {
				if r.Addr != v {
					return false
				}
			}
		case *ssa.Call:
			if !p.deletesOrCuts(r, depth) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// deletesOrCuts reports whether a call deletes, or makes another text or time of
// what it is given which does.
func (p *Finder) deletesOrCuts(call *ssa.Call, depth int) bool {
	if b, ok := call.Call.Value.(*ssa.Builtin); ok {
		return b.Name() == "len"
	}
	if t, ok := p.Target(&call.Call); ok && deletions[t.API] {
		return true
	}
	fn := kind.CalledFunc(&call.Call)
	if fn == nil || fn.Pkg() == nil {
		return false
	}
	switch fn.Pkg().Path() {
	case "strings", "bytes", "time", "cloud.google.com/go/bigtable":
		return kind.IsBool(call.Type()) || p.onlyNamesDeleted(call, depth-1)
	}
	return false
}

// deletions are the calls that remove cells.
var deletions = map[string]bool{
	btapi.DeleteRow: true, btapi.DeleteCellsInColumn: true, btapi.DeleteCellsInFamily: true,
	btapi.DeleteTimeRange: true, "bigtable.AdminClient.DropRowRange": true,
}

// Nearby is how many calls away a deletion may be.
const Nearby = 2

// Deletes reports whether a function, or one that it calls, deletes cells.
func (p *Finder) Deletes(fn *ssa.Function, depth int) bool {
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
func (p *Finder) givesDeletion(fn *ssa.Function, depth int) bool {
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
