package collection

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/btapi"
	"github.com/ttlvet/ttlvet/analyzers/internal/instant"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/kind"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/way"
	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// The number of conditional appends of a function from which they are no
// choices: each of these doubles the ways through it, and of a function's
// results fewer are told apart.
const (
	minAppended = 6
	minReturned = 4
)

// Appended resolves a slice to which something is appended on a condition that
// parameters decide: the element is in the list if the condition holds. That is
// what it is where the elements are structs, cells to write and the like, each
// used by itself; of others, which make one value together, only where a function
// does so often.
func Appended(w *way.Way, v *ssa.Phi) (r *value.Value, ok bool) {
	branch, call, ok := appends(v)
	if !ok {
		return nil, false
	}
	n := 0
	for _, b := range v.Parent().Blocks {
		for _, instr := range b.Instrs {
			phi, isPhi := instr.(*ssa.Phi)
			if !isPhi {
				break
			}
			if _, _, ok := appends(phi); ok && types.Identical(phi.Type(), v.Type()) {
				n++
			}
		}
	}
	if !ofStructs(v.Type()) && (n < minReturned || n < minAppended && !returnsList(v.Parent())) {
		return nil, false
	}
	cond := w.Eval(branch.Cond, branch)
	if branch.Block().Succs[0] != call.Block() {
		cond = value.Apply(value.Not, cond)
	}
	_, constant := instant.Decide(cond)
	if !constant && !suppliedWhole(cond) {
		return nil, false
	}
	items := w.Eval(call.Call.Args[1], call).Base()
	if items.Kind != value.List || len(items.Args) != 1 || items.Args[0].Is(value.Spread) || value.HasIt(items.Args[0]) {
		return nil, false
	}
	return value.Concat(w.Eval(call.Call.Args[0], call), value.Apply(value.Where, value.ListOf(value.BoolOf(true)), cond, items.Args[0])), true
}

// ofStructs reports whether the elements of a slice are structs, or pointers to
// such, that are not the client's.
func ofStructs(t types.Type) bool {
	elem := kind.Deref(t.Underlying().(*types.Slice).Elem())
	_, isStruct := elem.Underlying().(*types.Struct)
	return isStruct && btapi.Type(elem) == ""
}

// returnsList reports whether a function returns a list, or a filter made of
// one.
func returnsList(fn *ssa.Function) bool {
	for res := range fn.Signature.Results().Variables() {
		if _, isSlice := res.Type().Underlying().(*types.Slice); isSlice || types.IsInterface(res.Type()) && !kind.IsError(res.Type()) {
			return true
		}
	}
	return false
}

// appends reports whether a value is a slice with something appended to it or
// not, and which branch decides.
func appends(v *ssa.Phi) (*ssa.If, *ssa.Call, bool) {
	if _, isSlice := v.Type().Underlying().(*types.Slice); !isSlice || len(v.Edges) != 2 {
		return nil, nil, false
	}
	for i, edge := range v.Edges {
		call, ok := edge.(*ssa.Call)
		from, past := v.Block().Preds[i], v.Block().Preds[1-i]
		if !ok || call.Block() != from || len(from.Preds) != 1 || from.Preds[0] != past {
			continue
		}
		b, ok := call.Call.Value.(*ssa.Builtin)
		branch, isIf := past.Instrs[len(past.Instrs)-1].(*ssa.If)
		if ok && isIf && b.Name() == "append" && len(call.Call.Args) == 2 && call.Call.Args[0] == v.Edges[1-i] {
			return branch, call, true
		}
	}
	return nil, nil, false
}

// suppliedWhole reports whether parameters are all that is not known of a
// condition.
func suppliedWhole(cond *value.Value) bool {
	whole := cond.HasParams()
	cond.Walk(func(v *value.Value) {
		whole = whole && v.Kind != value.Unknown && v.Kind != value.Map && !v.Is(value.Elem) && !v.Is(value.Count) && !v.Is(value.Where)
	})
	return whole
}
