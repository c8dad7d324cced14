package way

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/instant"
	"github.com/ttlvet/ttlvet/internal/trace/control"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Grown resolves what a loop over a known list makes of a variable: turn by
// turn, after the last. Of a list that is not known a slice that grows by
// append has the elements that meet the loop's conditions. ok reports whether
// v is such a variable.
func Grown(w *Way, v *ssa.Phi) (r *value.Value, ok bool) {
	header, entry := v.Block(), -1
	var back []int
	for i, pred := range header.Preds {
		switch {
		case header.Dominates(pred):
			back = append(back, i)
		case entry >= 0:
			return nil, false
		default:
			entry = i
		}
	}
	if len(back) == 0 || entry < 0 {
		return nil, false
	}
	slice, isSlice := v.Type().Underlying().(*types.Slice)
	if isSlice && grownBefore(v, entry) > maxGrown {
		return value.ListOf(spread(value.UnknownFor("elements of a slice that many loops collect"))), true
	}
	if isSlice && btapi.Type(slice.Elem()) == "bigtable.Mutation" && len(back) > 1 {
		return nil, false // followed as contents
	}
	list, key, n := w.Turns(header)
	if counter, turns := control.Counts(header); n < 0 && turns > 0 && turns <= maxCounted && w.Past(header) && kind.LoopVariable(counter) != nil {
		list, key, n = value.ListOf(), counter, int(turns)
	}
	if n > MaxElements || n < 0 && !isSlice {
		return nil, false
	}
	leaves, ok := leavesOf(v, back)
	start := func() *value.Value { return w.Eval(v.Edges[entry], kind.EdgeUse(v, entry)) }
	if n < 0 {
		if !ok || list == nil || len(w.Prog.Graphs.Exits(header)) > 0 || value.HasIt(list) || btapi.Type(slice.Elem()) == "bigtable.Mutation" {
			return nil, false
		}
		return gathered(w, start(), list, leaves)
	}
	if !ok && len(back) > 1 {
		return nil, false
	}
	r = w.Unroll(v, key, n, start(), func(before *value.Value) *value.Value {
		if len(back) == 1 && (!ok || len(leaves) == 1) {
			return w.Eval(v.Edges[back[0]], kind.EdgeUse(v, back[0]))
		}
		return turned(w, before, leaves)
	})
	return r, r != nil
}

// maxGrown bounds the loops, one after the other, that a list grows in.
const maxGrown = 16

// grownBefore returns how many loops, and places where ways meet, a list has come through
// before one that it enters by an edge; no more than what is asked of it.
func grownBefore(v *ssa.Phi, entry int) (n int) {
	for from := v.Edges[entry]; n <= maxGrown; {
		switch f := from.(type) {
		case *ssa.Phi:
			n++
			from = f.Edges[0]
		case *ssa.Call:
			if kind.Builtin(f, "append") == nil {
				return n
			}
			from = f.Call.Args[0]
		default:
			return n
		}
	}
	return n
}

// maxCounted bounds the turns of a loop that counts to a constant that are followed one
// by one.
const maxCounted = 8

// A leaf is what a loop's variable becomes in one turn, and under which
// conditions.
type leaf struct {
	val   ssa.Value
	at    ssa.Instruction
	conds []control.Condition
	same  bool      // it stays as it is
	items ssa.Value // the slice that is appended to it, or nil
}

// maxLeaves bounds the ways through one turn of a loop.
const maxLeaves = 8

// leavesOf lists what a loop's variable becomes in one turn; false when that is
// not known as alternatives.
func leavesOf(v *ssa.Phi, back []int) ([]leaf, bool) {
	var out []leaf
	var add func(phi *ssa.Phi, i int, conds []control.Condition, depth int) bool
	add = func(phi *ssa.Phi, i int, conds []control.Condition, depth int) bool {
		header, pred := v.Block(), phi.Block().Preds[i]
		conds = append(conds[:len(conds):len(conds)], control.Conditions(header, pred, phi.Block())...)
		if inner, ok := phi.Edges[i].(*ssa.Phi); ok && inner != v && header.Dominates(inner.Block()) && inner.Block() != header {
			if _, nested := kind.CounterStep(inner); nested || depth > 4 || control.IsHeader(inner.Block()) {
				return false
			}
			for j := range inner.Edges {
				if !add(inner, j, conds, depth+1) {
					return false
				}
			}
			return true
		}
		edge := phi.Edges[i]
		out = append(out, leaf{val: edge, at: kind.EdgeUse(phi, i), conds: conds, same: edge == v, items: appends(edge, v)})
		return len(out) <= maxLeaves
	}
	for _, i := range back {
		if !add(v, i, nil, 0) {
			return nil, false
		}
	}
	return out, true
}

// turned returns what one turn makes of a variable that was r before; nil when
// that is not known.
func turned(w *Way, r *value.Value, leaves []leaf) *value.Value {
	var open []leaf
	var conds []*value.Value
	for _, l := range leaves {
		c := w.All(l.conds)
		holds, ok := instant.Decide(c)
		if ok && !holds {
			continue
		}
		if ok {
			open, conds = []leaf{l}, []*value.Value{c}
			break
		}
		open, conds = append(open, l), append(conds, c)
	}
	if len(open) == 1 {
		if open[0].same {
			return r
		}
		return w.Eval(open[0].val, open[0].at)
	}
	// Appended or not.
	list := r
	for i, l := range open {
		switch {
		case l.same:
		case l.items == nil:
			return nil
		default:
			items := w.Eval(l.items, l.at).Base()
			if items.Kind != value.List || len(items.Args) != 1 {
				return nil
			}
			if conds[i].TooLarge() || list.TooLarge() {
				return nil
			}
			maybe := value.Apply(value.Where, value.ListOf(value.BoolOf(true)), conds[i], items.Args[0])
			list = value.Concat(list, maybe)
		}
	}
	return list
}

// maxGathered bounds the elements that one turn of a loop appends.
const maxGathered = 4

// gathered returns the list start with the elements of another appended that
// meet the conditions of a loop.
func gathered(w *Way, start, list *value.Value, leaves []leaf) (*value.Value, bool) {
	unknown := value.ListOf(spread(value.UnknownFor("elements of a slice that a loop collects")))
	out := value.Concat(start, unknown)
	var appended []leaf
	for _, l := range leaves {
		switch {
		case l.same:
		case l.items == nil:
			return nil, false
		default:
			appended = append(appended, l)
		}
	}
	if len(appended) != 1 {
		return out, true
	}
	l := appended[0]
	items := w.Eval(l.items, l.at).Base()
	if items.Kind != value.List || len(items.Args) == 0 || len(items.Args) > maxGathered {
		return out, true
	}
	if r := ofEach(start, list, w.All(l.conds), items.Args); r != nil {
		return r, true
	}
	return out, true
}

// ofEach returns a list with items appended for each element of another that meets a
// condition; nil where that cannot be said.
func ofEach(start, list, cond *value.Value, items []*value.Value) *value.Value {
	cond = value.Over(cond, list, value.It)
	for _, item := range items {
		if item.Is(value.Spread) || value.HasIt(item) {
			return nil
		}
		start = value.Concat(start, value.Apply(value.Where, list, cond, value.Over(item, list, value.It)))
	}
	return start
}
