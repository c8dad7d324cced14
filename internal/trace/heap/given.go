package heap

import (
	"go/types"

	"golang.org/x/tools/container/intsets"
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
)

// Code out of view may keep what it is given, and hand it back: what a list or a
// sync.Map is given comes out of it, what slices.Backward is given the loop over its
// result gets. So what one call is given goes into what its arguments are — into a
// struct of another package, a function or an interface from outside, whose first cell
// says what it keeps — and comes back from there in results and to functions that are
// given, by type.

// given returns the node of what a call of code out of view may hand back; 0 where that
// is nothing.
func (h *Heap) given(in *instance, call ssa.CallInstruction) int {
	common := call.Common()
	args := common.Args
	switch callee := common.StaticCallee(); {
	case common.IsInvoke():
		if !h.mayKeep(common.Method) {
			return 0
		}
		args = append([]ssa.Value{common.Value}, args...)
	case callee == nil:
		args = []ssa.Value{common.Value}
	default:
		if fn := kind.Object(callee); fn == nil || !h.mayKeep(fn) {
			return 0
		}
	}
	node := 0
	for _, a := range args {
		if _, constant := a.(*ssa.Const); constant {
			continue
		}
		for i, leaf := range h.space.layouts.of(a.Type()).cells {
			if !points(leaf) {
				continue
			}
			if node == 0 {
				node = h.space.nodes(1)
				h.solver.when(node, func(cell int) { h.within(cell, node) })
			}
			h.solver.copy(h.value(in, a)+i, node)
		}
	}
	return node
}

// mayKeep reports whether a function of another package may hand back what it was given:
// one of which no facts say what it does.
func (h *Heap) mayKeep(fn *types.Func) bool {
	return fn.Pkg() != nil && fn.Pkg() != h.space.pkg.Pkg && !btapi.KeepsNothing(fn.Pkg()) && !h.known(fn)
}

// within adds to what a call is given what lies at a cell of that: elements, and what
// others were given who gave it to the same.
func (h *Heap) within(cell, given int) {
	o := h.space.owner[cell]
	switch t := o.typ.(type) {
	case *types.Array, *types.Tuple: // a list, a map
		for i, leaf := range h.space.layouts.of(t).cells {
			if points(leaf) {
				h.solver.copy(o.start+i, given)
			}
		}
		return
	}
	if o.boxed {
		for i := 1; i < o.size; i++ {
			h.solver.copy(o.start+i, given)
		}
		return
	}
	if h.space.keeps(cell) {
		h.keep(cell, given)
	}
}

// keep makes what lies at a cell keep what a call was given, and the call give what that
// keeps: by the cell itself, and by the fields of a struct, of which those of one type
// hold the same.
func (h *Heap) keep(cell, given int) {
	key := [2]int{cell, h.solver.of(given)}
	if h.kept[key] {
		return
	}
	h.kept[key] = true
	h.solver.copy(given, cell)
	h.solver.copy(cell, given)
	t := h.space.typeAt(cell)
	if t == nil {
		return
	}
	for i, leaf := range h.space.layouts.of(t).cells {
		if i > 0 && points(leaf) {
			n := h.ofType(given, leaf)
			h.solver.copy(n, given)
			h.solver.same(n, cell+i)
		}
	}
}

// ofType returns the node of what a call may hand back as a value of a type.
func (h *Heap) ofType(given int, t types.Type) int {
	f, _ := h.fitting.At(t).(*fitting)
	if f == nil {
		f = &fitting{space: h.space, number: h.fitting.Len(), t: t}
		h.fitting.Set(t, f)
	}
	return h.solver.sift(given, f, func() int { return h.space.nodes(1) })
}

// keeps reports whether a cell says what is kept by what lies there: a struct of another
// package, or what is behind an interface or a function from outside.
func (s *space) keeps(cell int) bool {
	o := s.owner[cell]
	if o.Outside && o.size == 1 {
		switch o.typ.Underlying().(type) {
		case *types.Interface, *types.Signature:
			return true
		}
	}
	named, ok := types.Unalias(s.typeAt(cell)).(*types.Named)
	if !ok || named.Obj().Pkg() == s.pkg.Pkg {
		return false
	}
	_, ok = named.Underlying().(*types.Struct)
	return ok
}

// handBack makes the nodes of a value hold what a call may hand back of its type.
func (h *Heap) handBack(given, n int, t types.Type) {
	if given == 0 {
		return
	}
	for i, leaf := range h.space.layouts.of(t).cells {
		if points(leaf) && !kind.IsError(leaf) {
			h.solver.copy(h.ofType(given, leaf), n+i)
		}
	}
	// What is new keeps what was given: an iterator, a copy of a list.
	for i, leaf := range h.space.layouts.of(t).cells {
		if points(leaf) && !kind.IsError(leaf) {
			done := map[int]bool{}
			h.solver.when(n+i, func(cell int) {
				if o := h.space.owner[cell]; o.Outside && !done[o.start] {
					done[o.start] = true
					h.keepNew(cell, given)
				}
			})
		}
	}
}

// fitting are the cells, of those that were asked for, that a value of one type may point
// to. Many are asked for in many places.
type fitting struct {
	space      *space
	number     int
	t          types.Type
	asked, fit intsets.Sparse
}

func (f *fitting) of(cells *intsets.Sparse) *intsets.Sparse {
	var fresh intsets.Sparse
	fresh.Difference(cells, &f.asked)
	for _, cell := range fresh.AppendTo(nil) {
		if f.space.fits(cell, f.t) {
			f.fit.Insert(cell)
		}
	}
	f.asked.UnionWith(&fresh)
	return &f.fit
}

// fits reports whether a value of a type may point to a cell.
func (s *space) fits(cell int, t types.Type) bool {
	o := s.owner[cell]
	if generic(t) {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Interface:
		return o.boxed || o.fn == nil && s.typeAt(cell) != nil
	case *types.Pointer:
		at := s.typeAt(cell)
		return at != nil && types.Identical(at, u.Elem())
	case *types.Slice:
		list, ok := o.typ.(*types.Array)
		return ok && types.Identical(list.Elem(), u.Elem())
	case *types.Map:
		return types.Identical(o.typ, entry(u))
	case *types.Signature:
		return o.fn != nil && types.Identical(o.typ, u)
	}
	return false
}

// keepNew makes what a call returns, or gives to a function, keep what the call was given.
func (h *Heap) keepNew(cell, given int) {
	if h.space.keeps(cell) {
		h.keep(cell, given)
		return
	}
	o := h.space.owner[cell]
	switch t := o.typ.(type) {
	case *types.Array, *types.Tuple:
		for i, leaf := range h.space.layouts.of(t).cells {
			if points(leaf) {
				h.solver.copy(h.ofType(given, leaf), o.start+i)
			}
		}
	}
}
