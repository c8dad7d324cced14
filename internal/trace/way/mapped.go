package way

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/control"
	"github.com/ttlvet/ttlvet/internal/trace/kind"

	"github.com/ttlvet/ttlvet/internal/value"
)

// mapped resolves a new slice of which a loop over a list that is not known fills each
// element with what it makes of the list's:
//
//	names := make([]string, len(families))
//	for i, f := range families {
//		names[i] = string(f)
//	}
//
// It is nil of other slices. Mutations are followed as contents.
func mapped(w *Way, v *ssa.MakeSlice) *value.Value {
	if slice, ok := v.Type().Underlying().(*types.Slice); !ok || btapi.Type(slice.Elem()) == "bigtable.Mutation" {
		return nil
	}
	writers := w.Prog.Heap().At(v, kind.PathTo{kind.AnyElement}).Writers()
	if len(writers) != 1 {
		return nil
	}
	s, ok := writers[0].(*ssa.Store)
	if !ok || s.Parent() != v.Parent() {
		return nil
	}
	root, path := w.Prog.Address(s.Addr)
	at, ok := root.(*ssa.IndexAddr)
	if !ok || at.X != ssa.Value(v) || len(path) > 0 {
		return nil
	}
	counter := kind.LoopVariable(at.Index)
	if counter == nil || w.Prog.Graphs.InLoop(v.Block(), counter.Block()) || len(w.Prog.Graphs.Exits(counter.Block())) > 0 {
		return nil
	}
	header, b := counter.Block(), s.Block()
	if len(b.Succs) != 1 || len(control.Conditions(header, b, b.Succs[0])) > 0 {
		return nil // some elements stay as they are
	}
	list, key, n := w.Turns(header)
	if n >= 0 || list == nil || key != any(counter) || value.HasIt(list) || w.Eval(v.Len, v).String() != value.Apply(value.Len, list).String() {
		return nil
	}
	return ofEach(value.ListOf(), list, value.BoolOf(true), []*value.Value{w.Eval(s.Val, s)})
}
