package heap

import (
	"go/types"

	"golang.org/x/tools/go/types/typeutil"
)

// maxCells bounds the cells of one type: a larger one is a single cell, all parts of
// which are one.
const maxCells = 256

// A layout is what a value of a type is made of: the types of its cells in order.
// The cells of a part follow one another.
type layout struct {
	cells  []types.Type // of a leaf its type, of a whole nil
	begins []types.Type // the type of what begins at each cell; nil where parts are not told apart
	fields []int        // where the parts of a struct begin; of an array its elements
	// elements are the cells that stand for several.
	elements map[int]bool
}

func (l *layout) size() int { return len(l.cells) }

// part returns where the i-th part begins: 0, the whole, where parts are not told
// apart.
func (l *layout) part(i int) int {
	if i < len(l.fields) {
		return l.fields[i]
	}
	return 0
}

// layouts are those of types.
type layouts struct{ known typeutil.Map }

func (ls *layouts) of(t types.Type) *layout {
	switch t.(type) {
	case *types.Basic, *types.Named, *types.Alias, *types.Pointer, *types.Struct, *types.Array, *types.Slice, *types.Map, *types.Chan, *types.Signature, *types.Interface, *types.Tuple, *types.TypeParam:
	default: // of the compiler's own: iterators, stacks of deferred calls
		return &layout{cells: []types.Type{nil}, begins: []types.Type{nil}}
	}
	if l, ok := ls.known.At(t).(*layout); ok {
		return l
	}
	l := &layout{}
	if generic(t) { // whose underlying type is that of its constraint
		l.cells, l.begins = []types.Type{t}, []types.Type{t}
		ls.known.Set(t, l)
		return l
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		l.cells, l.begins = []types.Type{nil}, []types.Type{t}
		for f := range u.Fields() {
			l.add(ls.of(f.Type()))
		}
	case *types.Array:
		l.cells, l.begins = []types.Type{nil}, []types.Type{t}
		l.add(ls.of(u.Elem()))
		for i := 1; i < len(l.cells); i++ {
			l.share(i)
		}
	case *types.Tuple:
		for v := range u.Variables() {
			l.add(ls.of(v.Type()))
		}
	default:
		l.cells, l.begins = []types.Type{t}, []types.Type{t}
	}
	if len(l.cells) > maxCells {
		*l = layout{cells: []types.Type{types.NewInterfaceType(nil, nil)}, begins: []types.Type{nil}}
		l.share(0)
	}
	ls.known.Set(t, l)
	return l
}

func (l *layout) add(part *layout) {
	l.fields = append(l.fields, len(l.cells))
	if len(l.cells) > maxCells {
		return
	}
	for i := range part.elements {
		l.share(len(l.cells) + i)
	}
	l.cells, l.begins = append(l.cells, part.cells...), append(l.begins, part.begins...)
}

func (l *layout) share(cell int) {
	if l.elements == nil {
		l.elements = map[int]bool{}
	}
	l.elements[cell] = true
}

// points reports whether what a cell of a type holds may point to anything.
func points(t types.Type) bool {
	if t == nil {
		return false
	}
	if generic(t) {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	case *types.Pointer, *types.Slice, *types.Map, *types.Chan, *types.Signature, *types.Interface:
		return true
	}
	return false
}

func generic(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.TypeParam)
	return ok
}
