package heap

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
)

// Pointee returns the variable, or what new made, that a pointer points to, and the
// part of it, where that is the only thing that it can point to. The variable is nil
// otherwise.
func (h *Heap) Pointee(pointer ssa.Value) (site *ssa.Alloc, path kind.PathTo) {
	if !kind.IsPointer(pointer.Type()) || generic(pointer.Type()) {
		return nil, nil
	}
	part, several := -1, false
	for _, cell := range h.pointees(pointer, nil, &several) {
		o := h.space.owner[cell]
		if o == nil || several || o.Outside || o.many || o.Site == nil || !h.space.once(o.Site) {
			return nil, nil
		}
		a, ok := o.Site.(*ssa.Alloc)
		if !ok || site != nil && (a != site || cell-o.start != part) {
			return nil, nil
		}
		if site == nil {
			site, part = a, cell-o.start
			if path, ok = h.space.fields(o.typ, part, kind.Deref(pointer.Type())); !ok {
				return nil, nil
			}
		}
	}
	return site, path
}

// fields returns the fields that lead to the n-th cell of a value of type t, where a
// value of type of begins.
func (s *space) fields(t types.Type, n int, of types.Type) (path kind.PathTo, ok bool) {
	for {
		if n == 0 && types.Identical(t, of) {
			return path, true
		}
		l := s.layouts.of(t)
		s, isStruct := t.Underlying().(*types.Struct)
		if !isStruct || len(l.fields) == 0 || n == 0 {
			return nil, false // elements are not told apart
		}
		field := 0
		for i, begins := range l.fields {
			if begins <= n {
				field = i
			}
		}
		path, n, t = append(path, field), n-l.fields[field], s.Field(field).Type()
	}
}
