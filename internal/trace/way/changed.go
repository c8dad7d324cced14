package way

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/instant"
	"github.com/ttlvet/ttlvet/internal/trace/control"
	"github.com/ttlvet/ttlvet/internal/trace/kind"

	"github.com/ttlvet/ttlvet/internal/value"
)

// The number of conditional changes of one value in a function from which they are
// no choices: each of these doubles the ways through it, and of a function's
// results fewer are told apart.
const (
	minChanged  = 6
	minReturned = 4
)

// maxMerged bounds what a value grows to that is changed on conditions: each change
// holds what was before twice.
const maxMerged = 20_000

const tooManyChanges = "more changes on conditions than are followed"

// Changed resolves a value that is changed on a condition that parameters decide,
// where a function does so often, such as a filter to which each flag chains
// another: both, and the condition. An element that is appended to a slice is in
// the list if the condition holds. That is also what it is where the elements are
// structs, cells to write and the like, each used by itself.
func Changed(w *Way, v *ssa.Phi) (r *value.Value, ok bool) {
	c, ok := changes(v)
	if !ok {
		return nil, false
	}
	if c.items == nil || !ofStructs(v.Type()) && !ofOptions(c.items) {
		if n := changesLike(v); n < minReturned || n < minChanged && !returnsMany(v.Parent()) {
			return nil, false
		}
	}
	cond := w.All(control.Between(v.Block().Idom(), c.from, v.Block()))
	_, constant := instant.Decide(cond)
	if !constant && !suppliedWhole(cond) {
		return nil, false
	}
	if c.items == nil {
		base := w.Eval(c.base, nil)
		if base.Kind == value.Unknown && base.Name == tooManyChanges {
			return base, true
		}
		r = value.Apply(value.If, cond, w.Eval(c.to, c.to.(ssa.Instruction)), base)
		if r.LargerThan(maxMerged) {
			r = kind.UnknownOf(v.Type(), tooManyChanges)
		}
		return r, true
	}
	items := w.Eval(c.items, c.to.(ssa.Instruction)).Base()
	if items.Kind != value.List || len(items.Args) != 1 || items.Args[0].Is(value.Spread) || value.HasIt(items.Args[0]) {
		return nil, false
	}
	return value.Concat(w.Eval(c.base, nil), value.Apply(value.Where, value.ListOf(value.BoolOf(true)), cond, items.Args[0])), true
}

// A change is what a value is made into on some condition.
type change struct {
	base, to ssa.Value
	items    ssa.Value       // what is appended to a slice, or nil
	from     *ssa.BasicBlock // where it comes from
}

// changes reports whether a value is another, or what a call makes of that.
func changes(v *ssa.Phi) (change, bool) {
	var c change
	if control.IsHeader(v.Block()) {
		return c, false
	}
	for i, edge := range v.Edges {
		call, ok := edge.(*ssa.Call)
		switch {
		case ok && c.to == nil && v.Block().Idom().Dominates(call.Block()) && call.Block() == v.Block().Preds[i]:
			c.to, c.from = call, call.Block()
		case c.base == nil:
			c.base = edge
		case edge != c.base:
			return c, false
		}
	}
	if c.to == nil || c.base == nil {
		return c, false
	}
	call := c.to.(*ssa.Call)
	if _, ok := call.Call.Value.(*ssa.Builtin); ok {
		c.items = appends(call, c.base)
		return c, c.items != nil
	}
	return c, types.IsInterface(v.Type()) && isGiven(call, c.base)
}

// appends returns the slice that a value has appended to another, nil of other values.
func appends(v, to ssa.Value) ssa.Value {
	if call := kind.Builtin(v, "append"); call != nil && len(call.Call.Args) == 2 && call.Call.Args[0] == to {
		return call.Call.Args[1]
	}
	return nil
}

// isGiven reports whether a call is given a value, as one of the elements of its
// last argument, too.
func isGiven(call *ssa.Call, v ssa.Value) bool {
	return slices.ContainsFunc(call.Call.Args, func(a ssa.Value) bool { return a == v || slices.Contains(kind.Listed(a), v) })
}

// changesLike counts such changes of values of the same type in a function, up to as
// many as count.
func changesLike(v *ssa.Phi) (n int) {
	for _, b := range v.Parent().Blocks {
		for _, instr := range b.Instrs {
			phi, isPhi := instr.(*ssa.Phi)
			if !isPhi {
				break
			}
			if _, ok := changes(phi); ok && types.Identical(phi.Type(), v.Type()) {
				if n++; n >= max(minChanged, minReturned) {
					return n
				}
			}
		}
	}
	return n
}

// ofStructs reports whether the elements of a slice are structs, or pointers to
// such, that are not the client's.
func ofStructs(t types.Type) bool {
	slice, ok := t.Underlying().(*types.Slice)
	if !ok {
		return false
	}
	elem := kind.Deref(slice.Elem())
	_, isStruct := elem.Underlying().(*types.Struct)
	return isStruct && btapi.Type(elem) == ""
}

// ofOptions reports whether what is appended to options is none that counts: a
// limit of rows, not a filter.
func ofOptions(items ssa.Value) bool {
	if _, list := items.(*ssa.Slice); !list {
		return false
	}
	return !slices.ContainsFunc(kind.Listed(items), func(v ssa.Value) bool {
		call, ok := kind.Stripped(v).(*ssa.Call)
		return !ok || !btapi.InertOption(btapi.Func(kind.CalledFunc(&call.Call)))
	})
}

// returnsMany reports whether a function returns a list, or a filter made of
// one.
func returnsMany(fn *ssa.Function) bool {
	for res := range fn.Signature.Results().Variables() {
		if _, isSlice := res.Type().Underlying().(*types.Slice); isSlice || types.IsInterface(res.Type()) && !kind.IsError(res.Type()) {
			return true
		}
	}
	return false
}

// suppliedWhole reports whether parameters are all that is not known of a
// condition.
func suppliedWhole(cond *value.Value) bool {
	return cond.HasParams() && !cond.Has(func(v *value.Value) bool {
		return v.Kind == value.Unknown || v.Kind == value.Map || v.Is(value.Elem) || v.Is(value.Count) || v.Is(value.Where)
	})
}
