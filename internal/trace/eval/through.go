package eval

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/control"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/way"
	"github.com/ttlvet/ttlvet/internal/value"
)

// A loop may hand a value through the functions of a list, each of which is given what
// the one before has made: which they are the function's callers say.

// through is the operation that stands for what the functions of the list Args[0], which
// is not known yet, make of Args[1].
const through = "through"

// listed is why it is not known what a variable is that is handed through functions.
const listed = "what functions in a list make of a variable, one after the other"

// handedThrough resolves a list, a filter, or a value of a type that calls supply, that a
// loop hands through functions which are not known here; nil of other variables.
func (p *Path) handedThrough(v *ssa.Phi) *value.Value {
	_, list := v.Type().Underlying().(*types.Slice)
	_, generic := types.Unalias(v.Type()).(*types.TypeParam)
	if !list && !generic && btapi.Type(v.Type()) != "bigtable.Filter" {
		return nil
	}
	for i, e := range v.Edges {
		call, ok := e.(*ssa.Call)
		if !ok || !v.Block().Dominates(v.Block().Preds[i]) || call.Call.StaticCallee() != nil || !slices.Contains(call.Call.Args, ssa.Value(v)) {
			continue
		}
		if _, builtin := call.Call.Value.(*ssa.Builtin); builtin {
			continue
		}
		if len(v.Edges) == 2 && len(call.Call.Args) == 1 && control.EachOf(v.Block(), call.Call.Value) && len(p.p.Prog.Graphs.Exits(v.Block())) == 0 {
			if fns := p.Way.Eval(control.RunsOver(v.Block()), nil); fns.HasParams() {
				return value.Apply(through, fns, p.Way.Eval(v.Edges[1-i], kind.EdgeUse(v, 1-i)))
			}
		}
		return kind.UnknownOf(v.Type(), listed)
	}
	return nil
}

// through resolves what the functions of a list that has become known make of a value.
func (p *Settler) through(v *value.Value, call ssa.Instruction) *value.Value {
	fns, r := v.Args[0].Base(), v.Args[1]
	n := value.Apply(value.Len, fns)
	switch {
	case fns.Kind == value.Nil:
		return r
	case n.Kind != value.Int && v.Args[0].HasParams():
		return v
	case n.Kind != value.Int || n.Num > way.MaxElements:
		return value.UnknownFor(listed)
	}
	for _, f := range fns.Args {
		r = p.invoked(value.Apply(value.Invoke, f, r), call)
	}
	return r
}
