package uses

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
)

// A scan that deletes looks at the cells to say which: at their columns and
// timestamps, which go nowhere but into deletions, and at their values, which
// decide what is deleted and nothing else.

// Cells reports whether the callback of a scan uses cells only to delete them, or
// to collect the keys of rows that are deleted after it.
func (p *Sweeps) Cells(t program.Target) bool {
	return t.API == btapi.ReadRows && t.Recv == nil && len(t.Args) > 3 && p.Callback(t.Args[3])
}

// Callback reports the same of a function that is given the rows of a scan.
func (p *Sweeps) Callback(v ssa.Value) bool {
	if named, ok := v.(*ssa.ChangeType); ok {
		v = named.X
	}
	fn := p.function(v)
	return fn != nil && p.ofRows(fn)
}

// Caller reports the same of the function to which a call returns rows.
func (p *Sweeps) Caller(call ssa.CallInstruction) bool {
	for r := range call.Parent().Signature.Results().Variables() {
		if kind.CarriesRow(r.Type()) || kind.CarriesCells(r.Type()) || kind.YieldsCells(r.Type()) {
			return false
		}
	}
	return p.ofRows(call.Parent())
}

// ofRows reports whether a function that is given rows uses cells only to delete
// them, or to collect the keys of rows that are deleted after it.
func (p *Sweeps) ofRows(fn *ssa.Function) bool {
	return (p.Deletes(fn, farAway) || p.collects(fn)) && p.onlyDeletesCells(fn)
}

func (p *Sweeps) onlyDeletesCells(fn *ssa.Function) bool {
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
func (p *Sweeps) sparesCells(instr ssa.Instruction) bool {
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
		t, known := p.Target(instr.Common())
		if known && t.API == "bigtable.Row.Key" {
			return true
		}
		if known && (t.Fn != nil && p.onlyAsks(t.Fn) || p.searches(instr.Common())) {
			return true // which of the cells it is
		}
		if p.yields(instr.Common()) {
			return true
		}
		if b, ok := instr.Common().Value.(*ssa.Builtin); ok && b.Name() == "len" {
			return true
		}
		if slices.ContainsFunc(instr.Common().Args, func(a ssa.Value) bool { return kind.CarriesCells(a.Type()) }) {
			return known && p.onlyNames(t, instr)
		}
	}
	return true
}

// fieldDeleted reports whether a field of a cell says nothing but what to delete.
func (p *Sweeps) fieldDeleted(f *types.Var, v ssa.Value) bool {
	return f != nil && (f.Name() == "Row" || p.onlyNamesDeleted(v, 8) && (f.Name() != "Value" || !p.writes(v.Parent(), Nearby)))
}

// onlyAsks reports whether a function that is given cells returns no more than
// whether they are such, and deletes.
func (p *Sweeps) onlyAsks(fn *ssa.Function) bool {
	if r := fn.Signature.Results(); r.Len() != 1 || !kind.IsBool(r.At(0).Type()) {
		return false
	}
	is, ok := p.asks[fn]
	if !ok {
		p.asks[fn] = true // of one that calls itself the rest decides
		is = p.onlyDeletesCells(fn)
		p.asks[fn] = is
	}
	return is
}

// searches reports whether a call looks in a list for a cell of which a function
// says that it is such.
func (p *Sweeps) searches(call *ssa.CallCommon) bool {
	fn := kind.CalledFunc(call)
	if fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != "slices" || len(call.Args) != 2 || fn.Name() != "ContainsFunc" && fn.Name() != "IndexFunc" {
		return false
	}
	is := p.function(call.Args[1])
	return is != nil && p.onlyAsks(is)
}

// function returns the function of this package that a value is, method values
// among them, or nil.
func (p *Sweeps) function(v ssa.Value) *ssa.Function {
	var fn *ssa.Function
	switch f := v.(type) {
	case *ssa.MakeClosure:
		fn = f.Fn.(*ssa.Function)
	case *ssa.Function:
		fn = f
	}
	if fn != nil && kind.IsBound(fn) {
		fn = p.Pkg.Prog.FuncValue(kind.Object(fn))
	}
	if fn == nil || !p.HasBody(fn) {
		return nil
	}
	return fn
}

// writes reports whether a function, or one that it calls, writes cells: what
// it looks at may decide what it writes.
func (p *Sweeps) writes(fn *ssa.Function, depth int) bool {
	for _, call := range p.Calls[fn] {
		t, ok := p.Target(call.Common())
		switch {
		case !ok:
		case writing[t.API], t.Fn != nil && depth > 0 && p.writes(t.Fn, depth-1):
			return true
		case t.Obj != nil:
			if s := p.Imported(t.Obj); s != nil && slices.ContainsFunc(s.Effects, func(e summary.Effect) bool { return writing[e.Op] }) {
				return true
			}
		}
	}
	return slices.ContainsFunc(fn.AnonFuncs, func(inner *ssa.Function) bool { return p.writes(inner, depth) })
}

// writing are the calls that write cells.
var writing = map[string]bool{
	btapi.Set: true, btapi.AddIntToCell: true, btapi.MergeBytesToCell: true, btapi.Increment: true, btapi.AppendValue: true,
}

// onlyNamesDeleted reports whether a value goes into deletions and conditions
// only.
func (p *Sweeps) onlyNamesDeleted(v ssa.Value, depth int) bool {
	refs := v.Referrers()
	if refs == nil || depth == 0 {
		return false
	}
	for _, r := range *refs {
		switch r := r.(type) {
		case *ssa.DebugRef, *ssa.If:
		case *ssa.Return:
			if !p.followed[r.Parent()] {
				return false
			}
		case *ssa.FieldAddr, *ssa.Field, *ssa.Index, *ssa.IndexAddr, *ssa.UnOp, *ssa.Convert, *ssa.MultiConvert, *ssa.ChangeType, *ssa.BinOp, *ssa.Slice, *ssa.Extract, *ssa.Phi:
			if u := r.(ssa.Value); !kind.IsBool(u.Type()) && !p.onlyNamesDeleted(u, depth-1) {
				return false
			}
		case *ssa.MakeClosure:
			for i, b := range r.Bindings {
				if b == v && !p.onlyNamesDeleted(r.Fn.(*ssa.Function).FreeVars[i], depth-1) {
					return false
				}
			}
		case *ssa.Store:
			root, _ := p.Address(r.Addr)
			a, ok := root.(*ssa.Alloc)
			if !ok || a.Parent() != r.Parent() || r.Val != v || !p.onlyNamesDeleted(a, depth-1) {
				if r.Addr != v {
					return false
				}
			}
		case *ssa.Call:
			if !p.deletesOrCuts(v, r, depth) {
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
func (p *Sweeps) deletesOrCuts(v ssa.Value, call *ssa.Call, depth int) bool {
	if b, ok := call.Call.Value.(*ssa.Builtin); ok {
		return b.Name() == "len" || kind.IsExtreme(b) && p.onlyNamesDeleted(call, depth-1)
	}
	if call.Call.Value == v {
		return p.loopsName(call, depth)
	}
	if t, ok := p.Target(&call.Call); ok && (deletions[t.API] || p.passes(v, t, call, depth)) || p.yields(&call.Call) {
		return true
	}
	fn := kind.CalledFunc(&call.Call)
	if fn == nil || fn.Pkg() == nil {
		return false
	}
	if strings.HasPrefix(fn.Name(), "Unmarshal") || strings.HasPrefix(fn.Name(), "Decode") {
		return p.decodedDeleted(call, depth)
	}
	switch fn.Pkg().Path() {
	case "strings", "bytes", "slices", "strconv", "regexp", "encoding/binary", "unicode/utf8", "time", "cloud.google.com/go/bigtable":
		return kind.IsBool(call.Type()) || p.onlyNamesDeleted(call, depth-1)
	}
	return false
}

// decodedDeleted reports whether what a call decodes into a local variable says
// nothing but what to delete.
func (p *Sweeps) decodedDeleted(call *ssa.Call, depth int) bool {
	for _, arg := range call.Call.Args {
		into, ok := kind.Stripped(arg).(*ssa.Alloc)
		if !ok {
			continue
		}
		for _, r := range *into.Referrers() {
			switch r := r.(type) {
			case *ssa.DebugRef, *ssa.MakeInterface:
				if made, ok := r.(*ssa.MakeInterface); ok && (len(*made.Referrers()) != 1 || (*made.Referrers())[0] != ssa.Instruction(call)) {
					return false
				}
			case *ssa.FieldAddr:
				if !p.onlyNamesDeleted(r, depth-1) {
					return false
				}
			case *ssa.UnOp:
				if !p.onlyNamesDeleted(r, depth-1) {
					return false
				}
			case *ssa.Store:
				if r.Addr != ssa.Value(into) {
					return false
				}
			case *ssa.Call:
				if r != call {
					return false
				}
			default:
				return false
			}
		}
		return true
	}
	return false
}
