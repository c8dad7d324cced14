package uses

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
)

// fromCell reports whether a value is made of the timestamp of a cell: itself, or
// held by what nothing but such timestamps are kept in, as the earliest of them is.
func (c *Comparison) fromCell(v ssa.Value, in *frame, depth int) bool {
	if depth == 0 {
		return false
	}
	at := cellAt{v, in, depth}
	known, ok := c.cell[at]
	if !ok {
		known = c.isFromCell(v, in, depth)
		c.cell[at] = known
	}
	return known
}

// A cellAt is a question whether a value is made of the timestamp of a cell.
type cellAt struct {
	v     ssa.Value
	in    *frame
	depth int
}

func (c *Comparison) isFromCell(v ssa.Value, in *frame, depth int) bool {
	of := func(v ssa.Value) bool { return c.fromCell(v, in.of(v), depth-1) }
	switch v := v.(type) {
	case *ssa.UnOp:
		if v.Op != token.MUL {
			return of(v.X)
		}
		if fa, ok := v.X.(*ssa.FieldAddr); ok && kind.IsCellTimestamp(kind.Deref(fa.X.Type()), fa.Field) {
			return true
		}
		if fa, ok := v.X.(*ssa.FieldAddr); ok {
			if stored := c.prog.StoredIn(kind.FieldOf(fa), kind.StructName(fa.X.Type())); len(stored) > 0 {
				return c.allFromCells(stored, in, depth)
			} // of a struct of another package, what is stored here counts
		}
		return c.keepsCells(v.X, in, depth)
	case *ssa.Field:
		return kind.IsCellTimestamp(v.X.Type(), v.Field) || c.allFromCells(c.prog.StoredIn(kind.StructField(v.X.Type(), v.Field), kind.StructName(v.X.Type())), in, depth)
	case *ssa.Convert, *ssa.MultiConvert:
		return of(kind.Converted(v))
	case *ssa.ChangeType:
		return of(v.X)
	case *ssa.BinOp:
		return of(v.X) || of(v.Y)
	case *ssa.Extract:
		if l, ok := v.Tuple.(*ssa.Lookup); ok && v.Index == 0 {
			return c.keepsCells(l.X, in, depth)
		}
		if call, ok := v.Tuple.(*ssa.Call); ok {
			return c.returnsCell(call, v.Index, in, depth)
		}
	case *ssa.Lookup:
		return c.keepsCells(v.X, in, depth)
	case *ssa.Phi:
		return slices.ContainsFunc(v.Edges, of)
	case *ssa.Parameter:
		a, in := in.argument(v)
		return a != nil && c.fromCell(a, in.of(a), depth-1)
	case *ssa.FreeVar:
		b := c.prog.Binding(v)
		return b != nil && of(b)
	case *ssa.Call:
		return c.returnsCell(v, 0, in, depth)
	}
	return false
}

// returnsCell reports whether a result of a call is made of the timestamp of a cell.
func (c *Comparison) returnsCell(call *ssa.Call, i int, in *frame, depth int) bool {
	of := func(v ssa.Value) bool { return c.fromCell(v, in.of(v), depth-1) }
	if b, ok := call.Call.Value.(*ssa.Builtin); ok {
		return kind.IsExtreme(b) && slices.ContainsFunc(call.Call.Args, of)
	}
	t, ok := c.prog.Target(&call.Call)
	switch {
	case !ok:
		return false
	case isPlain(t):
		return kind.MayBeTime(call.Type()) && slices.ContainsFunc(t.Args, of)
	case t.Fn == nil:
		for j, a := range t.Args {
			if slices.ContainsFunc(c.times.checksParam(t.Obj, j), func(check summary.Check) bool { return check.Returned && check.Field == "" }) && (kind.CarriesCells(a.Type()) || of(a)) {
				return true
			}
		}
		return false
	}
	found := false
	c.within(in, func() {
		in := c.enter(call, t, nil)
		for _, ret := range kind.ReturnsOf(t.Fn) {
			found = found || in != nil && kind.MayBeTime(ret.Results[i].Type()) && c.fromCell(ret.Results[i], in, depth-1)
		}
	})
	return found
}

// keepsCells reports whether nothing but timestamps of cells are kept where a pointer
// points to, or a map has its elements.
func (c *Comparison) keepsCells(pointer ssa.Value, in *frame, depth int) bool {
	var vals []ssa.Value
	for _, w := range c.prog.Heap().Place(pointer).Writers() {
		switch w := w.(type) {
		case *ssa.Store:
			if load, ok := w.Val.(*ssa.UnOp); !ok || load.X != w.Addr { // a named result that is returned by its name
				vals = append(vals, w.Val)
			}
		case *ssa.MapUpdate:
			vals = append(vals, w.Value)
		default:
			return false
		}
	}
	return c.allFromCells(vals, in, depth)
}

// allFromCells reports whether values are timestamps of cells, zeros aside.
func (c *Comparison) allFromCells(vals []ssa.Value, in *frame, depth int) bool {
	found := false
	for _, v := range vals {
		if k, ok := v.(*ssa.Const); ok && (k.Value == nil || smallConst(k)) {
			continue
		}
		if !c.fromCell(v, in.of(v), depth-1) {
			return false
		}
		found = true
	}
	return found
}
