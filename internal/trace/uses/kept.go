package uses

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/value"
)

// The time of a cell may be kept in a field of a struct. To keep it is no check; it
// is one where the struct goes to what compares the field with a time.

// A partOf is a field of what a value is, points to or holds.
type partOf struct {
	v ssa.Value
	f *types.Var
}

// comparedInStruct reports whether the field of a struct to which a time is stored
// is compared with a time, where that struct goes.
func (p *Comparison) comparedInStruct(fa *ssa.FieldAddr, depth int) bool {
	f := kind.FieldOf(fa)
	return f != nil && p.Filled(fa.X, f, depth)
}

// Filled reports whether a field is compared of the struct that a value is or points
// to, which got a time in that field after it was made.
func (p *Comparison) Filled(v ssa.Value, f *types.Var, depth int) bool {
	switch v := v.(type) {
	case *ssa.MakeInterface:
		return p.Filled(v.X, f, depth)
	case *ssa.UnOp:
		switch holder := v.X.(type) {
		case *ssa.Alloc:
			return p.Part(holder, f, depth)
		case *ssa.FreeVar:
			if b := p.Binding(holder); b != nil {
				return p.Part(b, f, depth)
			}
		}
		return p.anywhere(f, depth)
	case *ssa.FreeVar:
		if b := p.Binding(v); b != nil {
			return p.Part(b, f, depth)
		}
		return p.anywhere(f, depth)
	case *ssa.Parameter:
		return p.Part(v, f, depth) || p.given(v, f, depth)
	case *ssa.IndexAddr:
		return p.storedStruct(v, f, depth)
	case *ssa.FieldAddr:
		if root, _ := p.Address(v); isAlloc(root) { // a part of a local struct
			return p.Part(root, f, depth)
		}
		return p.anywhere(f, depth)
	case *ssa.Global:
		return p.anywhere(f, depth)
	}
	return p.Part(v, f, depth)
}

func isAlloc(v ssa.Value) bool {
	_, ok := v.(*ssa.Alloc)
	return ok
}

// given reports whether the field of a struct that callers give is compared there.
// What callers do of the function asked, they follow, each its own.
func (p *Comparison) given(param *ssa.Parameter, f *types.Var, depth int) bool {
	if p.asked != nil && kind.Origin(param.Parent()) == p.asked {
		p.kept[Held{Param: kind.ParamIndex(param) + 1, Field: f}] = true
		return false
	}
	return depth > 0 && slices.ContainsFunc(p.arguments(param), func(a ssa.Value) bool { return p.Filled(a, f, depth-1) })
}

// anywhere reports whether a field is compared of whatever struct.
func (p *Comparison) anywhere(f *types.Var, depth int) bool {
	if depth == 0 {
		return false
	}
	for _, load := range p.FieldLoads[f] {
		if p.Compared(load, depth-1) {
			return true
		}
	}
	return false
}

// Part reports whether a field is compared of the struct that a value is, points to
// or, as a list, holds.
func (p *Comparison) Part(v ssa.Value, f *types.Var, depth int) bool {
	key := partOf{v, f}
	if p.seen[key] {
		return false
	}
	p.seen[key] = true
	refs := v.Referrers()
	if refs == nil || len(p.seen) > 500 {
		return p.anywhere(f, depth)
	}
	for _, r := range *refs {
		if p.used(v, r, f, depth) {
			return true
		}
	}
	return false
}

// used is part for one use of the value.
func (p *Comparison) used(v ssa.Value, r ssa.Instruction, f *types.Var, depth int) bool {
	switch r := r.(type) {
	case *ssa.FieldAddr:
		if kind.FieldOf(r) != f {
			return within(kind.Deref(r.Type()), f, 3) && p.Part(r, f, depth)
		}
		for _, use := range *r.Referrers() {
			if load, ok := use.(*ssa.UnOp); ok && p.Compared(load, depth) {
				return true
			}
		}
	case *ssa.Field:
		if kind.StructField(r.X.Type(), r.Field) != f {
			return within(r.Type(), f, 3) && p.Part(r, f, depth)
		}
		return p.Compared(r, depth)
	case *ssa.UnOp, *ssa.IndexAddr, *ssa.Index, *ssa.Slice, *ssa.Phi, *ssa.ChangeType, *ssa.Extract:
		return p.Part(r.(ssa.Value), f, depth)
	case *ssa.Store:
		return r.Val == v && p.storedStruct(r.Addr, f, depth)
	case *ssa.MakeClosure:
		for i, b := range r.Bindings {
			if b == v && p.Part(r.Fn.(*ssa.Function).FreeVars[i], f, depth) {
				return true
			}
		}
	case *ssa.Return:
		return p.returnedStruct(r, v, f, depth)
	case *ssa.MapUpdate, *ssa.Send, *ssa.Range, *ssa.Lookup, *ssa.TypeAssert:
		return p.anywhere(f, depth)
	case *ssa.MakeInterface:
		for _, use := range *r.Referrers() {
			call, ok := use.(ssa.CallInstruction)
			if ok && call == p.filler {
				continue
			}
			if !ok {
				if s, isStore := use.(*ssa.Store); isStore {
					_, ok = s.Addr.(*ssa.IndexAddr) // of what prints
				}
			} else if t, known := p.Target(call.Common()); known && t.Fn == nil && t.Obj != nil && p.Analysed(t.Obj) {
				ok = false
			}
			if !ok {
				return p.anywhere(f, depth)
			}
		}
	case ssa.CallInstruction:
		return p.givenStruct(r, v, f, depth)
	}
	return false
}

func (p *Comparison) storedStruct(addr ssa.Value, f *types.Var, depth int) bool {
	switch a := addr.(type) {
	case *ssa.Alloc:
		return p.Part(a, f, depth)
	case *ssa.FreeVar:
		if b := p.Binding(a); b != nil {
			return p.Part(b, f, depth)
		}
	case *ssa.IndexAddr:
		if load, ok := a.X.(*ssa.UnOp); ok && p.storedStruct(load.X, f, depth) {
			return true
		}
		return p.Part(a.X, f, depth)
	}
	return p.anywhere(f, depth)
}

func (p *Comparison) returnedStruct(ret *ssa.Return, v ssa.Value, f *types.Var, depth int) bool {
	fn := kind.Origin(ret.Parent())
	if p.asked != nil && fn == p.asked {
		p.kept[Held{Field: f}] = true
		return false
	}
	for i, result := range ret.Results {
		if result != v {
			continue
		}
		for _, call := range p.Callers[fn] {
			if c, ok := call.(*ssa.Call); ok && p.partOfResult(c, i, len(ret.Results), f, depth) {
				return true
			}
		}
	}
	return false
}

// partOfResult is part for one of the results of a call.
func (p *Comparison) partOfResult(call *ssa.Call, i, n int, f *types.Var, depth int) bool {
	if n == 1 {
		return p.Part(call, f, depth)
	}
	for _, use := range *call.Referrers() {
		if e, ok := use.(*ssa.Extract); ok && e.Index == i && p.Part(e, f, depth) {
			return true
		}
	}
	return false
}

func (p *Comparison) givenStruct(call ssa.CallInstruction, v ssa.Value, f *types.Var, depth int) bool {
	if call == p.filler {
		return false
	}
	common := call.Common()
	result, _ := call.(*ssa.Call)
	if b, ok := common.Value.(*ssa.Builtin); ok {
		return b.Name() == "append" && result != nil && p.Part(result, f, depth)
	}
	t, ok := p.Target(common)
	if !ok && p.givenFunction(common) {
		p.Perhaps = p.Perhaps || p.anywhere(f, depth)
		return false
	}
	if !ok {
		return p.anywhere(f, depth)
	}
	for i, a := range t.Args {
		switch {
		case a != v:
		case t.Fn != nil && i < len(t.Fn.Params):
			if p.Part(t.Fn.Params[i], f, depth) {
				return true
			}
		case t.Obj != nil && p.Analysed(t.Obj):
			if p.mayCompare(t.Obj, i, result, f, depth) {
				return true
			}
		case t.Fn == nil && p.anywhere(f, depth): // slices.DeleteFunc and the like
			return true
		}
	}
	return false
}

// mayCompare reports whether a function of another package may compare a field of
// the struct that it is given as its i-th argument, or its caller what it returns of
// that.
func (p *Comparison) mayCompare(fn *types.Func, i int, call *ssa.Call, f *types.Var, depth int) bool {
	if p.checksParam(fn, i) {
		return true
	}
	res := fn.Signature().Results()
	for j := range res.Len() {
		t := res.At(j).Type()
		if !mayHoldTime(t) {
			continue
		}
		return call == nil || kind.ClassOf(t) == value.NoClass || p.Compared(call, depth-1)
	}
	return false
}

// mayHoldTime reports whether a time can be in values of a type; an error has none.
func mayHoldTime(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return mayBeTime(t)
	case *types.Slice:
		return mayHoldTime(u.Elem())
	}
	return !types.Identical(t, types.Universe.Lookup("error").Type())
}

// givenFunction reports whether what is called is a function that is given to the one
// in which the call stands, or to one around that.
func (p *Comparison) givenFunction(common *ssa.CallCommon) bool {
	v := common.Value
	if load, ok := v.(*ssa.UnOp); ok {
		root, path := p.Address(load.X)
		if stores := p.Stores[root]; len(path) == 0 && len(stores) == 1 {
			v = stores[0].Val
		}
	}
	for free, ok := v.(*ssa.FreeVar); ok; free, ok = v.(*ssa.FreeVar) {
		v = p.Binding(free)
	}
	_, ok := v.(*ssa.Parameter)
	return ok && !common.IsInvoke()
}
