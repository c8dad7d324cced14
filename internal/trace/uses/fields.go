package uses

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// A package may fill structs from rows that others compare: a method Unmarshal, a
// constructor, a helper for all types. Of which fields hold times of cells, one
// package tells the next, whosever the struct is; who has the object that such a
// function filled, or was given by one that reads, follows that field of it.

// HeldIn returns the names of the fields that hold times of cells, as far as the
// package and its imports fill them.
func (p *CellTimes) HeldIn() []string {
	var out []string
	for name := range p.timeFields() {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

func (p *CellTimes) timeFields() map[string]bool {
	if p.cellTimes != nil {
		return p.cellTimes
	}
	p.cellTimes = map[string]bool{}
	if p.Pass.ImportPackageFact != nil {
		for _, imp := range p.Pass.Pkg.Imports() {
			var reach summary.Reach
			if p.Pass.ImportPackageFact(imp, &reach) {
				for _, name := range reach.CellTimes {
					p.cellTimes[name] = true
				}
			}
		}
	}
	for _, fn := range p.Funcs {
		if p.IsTest(fn.Pos()) {
			continue
		}
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				s, ok := instr.(*ssa.Store)
				if !ok {
					continue
				}
				if fa, ok := s.Addr.(*ssa.FieldAddr); ok && mayBeTime(s.Val.Type()) && p.ofCell(s.Val, 8) {
					p.cellTimes[kind.FieldKey(kind.FieldOf(fa), fa.X.Type())] = true
				}
			}
		}
	}
	return p.cellTimes
}

// mayBeTime reports whether values of a type are times, or numbers that may be.
func mayBeTime(t types.Type) bool {
	t = kind.Deref(t)
	if c := kind.ClassOf(t); c == value.Time || c == value.Timestamp {
		return true
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && (b.Kind() == types.Int64 || b.Kind() == types.Uint64)
}

// ofCell reports whether a value is made of the timestamp of a cell, among others.
func (p *CellTimes) ofCell(v ssa.Value, depth int) bool {
	if depth == 0 || !mayBeTime(v.Type()) {
		return false
	}
	some := func(vs ...ssa.Value) bool {
		return slices.ContainsFunc(vs, func(v ssa.Value) bool { return p.ofCell(v, depth-1) })
	}
	switch v := v.(type) {
	case *ssa.Field:
		return kind.IsCellTimestamp(v.X.Type(), v.Field)
	case *ssa.FieldAddr:
		return kind.IsCellTimestamp(kind.Deref(v.X.Type()), v.Field)
	case *ssa.UnOp:
		return some(v.X)
	case *ssa.Alloc, *ssa.FreeVar:
		root, _ := p.Address(v)
		for _, s := range p.Stores[root] {
			if len(s.Path) == 0 && some(s.Val) {
				return true
			}
		}
	case *ssa.Convert, *ssa.MultiConvert, *ssa.ChangeType:
		return some(kind.Converted(v))
	case *ssa.BinOp:
		return some(v.X, v.Y)
	case *ssa.Phi:
		return some(v.Edges...)
	case *ssa.Parameter:
		return some(p.arguments(v)...)
	case *ssa.Extract:
		call, ok := v.Tuple.(*ssa.Call)
		return ok && p.resultOfCell(call, v.Index, depth)
	case *ssa.Call:
		return p.resultOfCell(v, 0, depth)
	}
	return false
}

// resultOfCell is ofCell for a result of a call: of what returns the time of a cell,
// or makes another of the time that it is given.
func (p *CellTimes) resultOfCell(call *ssa.Call, i, depth int) bool {
	t, ok := p.Target(&call.Call)
	if !ok {
		return false
	}
	if t.Fn == nil {
		return slices.ContainsFunc(t.Args, func(a ssa.Value) bool {
			return kind.CarriesCells(a.Type()) || p.ofCell(a, depth-1)
		})
	}
	for _, b := range t.Fn.Blocks {
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if ok && i < len(ret.Results) && p.ofCell(ret.Results[i], depth-1) {
			return true
		}
	}
	return false
}

// timesIn returns the fields of the struct that values of a type are, point to or
// hold which hold times of cells.
func (p *CellTimes) timesIn(t types.Type) []*types.Var {
	return fieldsIn(t, 4, func(f *types.Var, owner types.Type) bool { return p.timeFields()[kind.FieldKey(f, owner)] })
}

// fieldsIn returns those fields that are wanted of the struct that values of a type
// are, point to or hold.
func fieldsIn(t types.Type, depth int, wanted func(f *types.Var, owner types.Type) bool) (out []*types.Var) {
	if depth == 0 || btapi.Type(t) != "" || kind.CarriesRow(t) {
		return nil
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return fieldsIn(u.Elem(), depth-1, wanted)
	case *types.Slice:
		return fieldsIn(u.Elem(), depth-1, wanted)
	case *types.Array:
		return fieldsIn(u.Elem(), depth-1, wanted)
	case *types.Map:
		return fieldsIn(u.Elem(), depth-1, wanted)
	case *types.Chan:
		return fieldsIn(u.Elem(), depth-1, wanted)
	case *types.Signature:
		if yielded := kind.Yielded(u); yielded != nil {
			for v := range yielded.Variables() {
				out = append(out, fieldsIn(v.Type(), depth-1, wanted)...)
			}
		}
	case *types.Struct:
		for f := range u.Fields() {
			if wanted(f, t) {
				out = append(out, f.Origin())
			} else if _, ok := f.Type().Underlying().(*types.Struct); ok {
				out = append(out, fieldsIn(f.Type(), depth-1, wanted)...)
			}
		}
	}
	return out
}

// holdsField reports whether a field is one of the struct that values of a type are,
// point to or hold.
func holdsField(t types.Type, field *types.Var) bool {
	return len(fieldsIn(t, 4, func(f *types.Var, _ types.Type) bool { return f.Origin() == field })) > 0
}

// arguments returns what calls in the package give for a parameter.
func (p *CellTimes) arguments(param *ssa.Parameter) (out []ssa.Value) {
	fn, i := kind.Origin(param.Parent()), kind.ParamIndex(param)
	for _, call := range p.Callers[fn] {
		if t, ok := p.Target(call.Common()); ok && t.Fn == fn && i < len(t.Args) {
			out = append(out, t.Args[i])
		}
	}
	return out
}
