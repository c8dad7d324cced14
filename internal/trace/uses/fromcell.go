package uses

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
)

// fromCell reports whether a value is made of the timestamp of a cell: itself, or
// held by what nothing but such timestamps are kept in, as the earliest of them is.
func (p *CellTimes) fromCell(v ssa.Value, depth int) bool {
	if depth == 0 {
		return false
	}
	switch v := v.(type) {
	case *ssa.UnOp:
		if v.Op != token.MUL {
			return p.fromCell(v.X, depth-1)
		}
		if fa, ok := v.X.(*ssa.FieldAddr); ok && kind.IsCellTimestamp(kind.Deref(fa.X.Type()), fa.Field) {
			return true
		}
		if fa, ok := v.X.(*ssa.FieldAddr); ok {
			return p.allFromCells(p.storedIn(kind.FieldOf(fa), fa.X.Type()), depth)
		}
		return p.keepsCells(v.X, depth)
	case *ssa.Field:
		return kind.IsCellTimestamp(v.X.Type(), v.Field) || p.allFromCells(p.storedIn(kind.StructField(v.X.Type(), v.Field), v.X.Type()), depth)
	case *ssa.Convert, *ssa.MultiConvert:
		return p.fromCell(kind.Converted(v), depth-1)
	case *ssa.Extract:
		if l, ok := v.Tuple.(*ssa.Lookup); ok && v.Index == 0 {
			return p.keepsCells(l.X, depth)
		}
	case *ssa.Lookup:
		return p.keepsCells(v.X, depth)
	case *ssa.Phi:
		return slices.ContainsFunc(v.Edges, func(e ssa.Value) bool { return p.fromCell(e, depth-1) })
	case *ssa.Call:
		if b, ok := v.Call.Value.(*ssa.Builtin); ok {
			return kind.IsExtreme(b) && slices.ContainsFunc(v.Call.Args, func(a ssa.Value) bool { return p.fromCell(a, depth-1) })
		}
		switch btapi.Func(kind.CalledFunc(&v.Call)) {
		case "bigtable.Timestamp.Time", "time.Time.Unix", "time.Time.UnixMilli", "time.Time.UnixMicro", "time.Time.UTC", "time.Time.Truncate":
			return p.fromCell(v.Call.Args[0], depth-1)
		}
	}
	return false
}

// keepsCells reports whether nothing but timestamps of cells are kept where a pointer
// points to, or a map has its elements.
func (p *CellTimes) keepsCells(pointer ssa.Value, depth int) bool {
	var vals []ssa.Value
	for _, w := range p.Heap().Place(pointer).Writers() {
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
	return p.allFromCells(vals, depth)
}

// storedIn lists what the package stores in a field, of whatever object.
func (p *CellTimes) storedIn(f *types.Var, t types.Type) (out []ssa.Value) {
	if f == nil {
		return nil
	}
	for _, s := range p.Fields[f] {
		out = append(out, s.Val)
	}
	index := kind.FieldIndex(kind.Deref(t), f)
	for _, a := range p.Created[kind.StructName(types.NewPointer(kind.Deref(t)))] {
		for _, s := range p.Stores[a] {
			if len(s.Path) == 1 && s.Path[0] == index {
				out = append(out, s.Val)
			}
		}
	}
	return out
}

// allFromCells reports whether values are timestamps of cells, zeros aside.
func (p *CellTimes) allFromCells(vals []ssa.Value, depth int) bool {
	found := false
	for _, v := range vals {
		if c, ok := v.(*ssa.Const); ok && (c.Value == nil || smallConst(c)) {
			continue
		}
		if !p.fromCell(v, depth-1) {
			return false
		}
		found = true
	}
	return found
}
