package heap

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"
)

// An Object is what is allocated at one place, or comes from outside at one.
type Object struct {
	Site    ssa.Value // where it is made; nil for what comes from outside
	Outside bool      // it was there before the function ran, or is another package's

	typ    types.Type // of what it holds
	start  int        // its first cell
	size   int
	in     *instance     // the function that makes it
	fn     *ssa.Function // of a function or literal: its code
	boxed  bool          // what an interface holds that is no pointer: typ, behind a cell for the box
	outer  *Object       // of what comes from outside: what it was found in
	opaque bool          // it is what is behind an interface or a function: typ is theirs
	many   bool          // it stands for several objects that are there together
	deep   typeutil.Map  // by type, the objects that lie deep in one from outside
}

// object makes an object that holds a value of type t.
func (s *space) object(site ssa.Value, t types.Type, in *instance) *Object {
	o := &Object{Site: site, typ: t, in: in}
	s.lay(o, s.layouts.of(t).size())
	return o
}

// outside returns what a pointer-like value of type t from outside points to: nil
// where it points to nothing that is followed.
func (s *space) outside(t types.Type, in *Object, inst *instance) *Object {
	if generic(t) {
		return s.opaque(t, in, inst)
	}
	var of types.Type
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		of = u.Elem()
	case *types.Slice:
		of = types.NewArray(u.Elem(), 1)
	case *types.Map:
		of = entry(u)
	case *types.Chan:
		of = u.Elem()
	case *types.Interface, *types.Signature:
		return s.opaque(t, in, inst)
	default:
		return nil
	}
	// A list or tree from outside is one object of its type, and so is what lies
	// deep: types that point to one another have more ways through them than can be
	// followed.
	depth, first := 0, in
	for o := in; o != nil; o = o.outer {
		if types.Identical(o.typ, of) {
			o.many = true
			return o
		}
		depth, first = depth+1, o
	}
	if depth > maxApart {
		if o, ok := first.deep.At(of).(*Object); ok {
			o.many = true
			return o
		}
	}
	o := s.object(nil, of, inst)
	o.Outside, o.outer = true, in
	if depth > maxApart {
		first.deep.Set(of, o)
	}
	return o
}

// maxApart bounds how many pointers deep objects from outside are told apart by the
// way that leads to them, in place of their types.
const maxApart = 2

// opaque returns what is behind an interface or a function of which nothing is
// known. Behind one that was found behind another of its type is the same: a tree of a
// library's nodes would have no end.
func (s *space) opaque(t types.Type, in *Object, inst *instance) *Object {
	for o := in; o != nil; o = o.outer {
		if o.opaque && types.Identical(o.typ, t) {
			o.many = true
			return o
		}
	}
	o := &Object{Outside: true, opaque: true, typ: t, outer: in, in: inst}
	s.lay(o, 1)
	return o
}

// reveal makes what a cell of an object from outside points to, when somebody
// follows it.
func (h *Heap) reveal(cell int) {
	o := h.space.owner[cell]
	if o == nil || !o.Outside || h.revealed[cell] {
		return
	}
	h.revealed[cell] = true
	cells := h.space.layouts.of(o.typ).cells
	i := cell - o.start
	if i >= len(cells) || !points(cells[i]) {
		return
	}
	if to := h.space.outside(cells[i], o, o.in); to != nil && to != o {
		h.solver.add(cell, to.start)
	} else if to != nil {
		h.solver.add(cell, o.start)
	}
}

// entry is the type of what a map has for each key.
func entry(m *types.Map) types.Type {
	return types.NewTuple(types.NewVar(0, nil, "key", m.Key()), types.NewVar(0, nil, "value", m.Elem()))
}
