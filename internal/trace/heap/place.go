package heap

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
)

// A Place is where a value may lie in memory: a set of cells.
type Place struct {
	h       *Heap
	cells   cells
	several bool // of one instance of a function, more than one object
}

// Place returns where a pointer may point to; of a map where its elements are.
func (h *Heap) Place(v ssa.Value) *Place { return h.place(v, nil) }

func (h *Heap) place(v ssa.Value, only func(*instance) bool) *Place {
	p := &Place{h: h}
	t, at := h.space.pointed(v.Type())
	for _, cell := range h.pointees(v, only, &p.several) {
		for _, c := range h.space.spread(cell, at, t) {
			p.cells.Insert(c)
		}
	}
	return p
}

// pointees lists the cells that a value may point to, in those of its function's
// instances that count, and tells whether there are several of one instance.
func (h *Heap) pointees(v ssa.Value, only func(*instance) bool, several *bool) (out []int) {
	instances := h.byFunc[v.Parent()]
	if _, global := v.(*ssa.Global); global {
		instances = []*instance{nil}
	}
	for _, in := range instances {
		if only == nil || only(in) {
			cells := h.reached(in, v)
			*several = *several || len(cells) > 1
			out = append(out, cells...)
		}
	}
	return out
}

// PlaceIn is [Heap.Place] for a value of a function that a call runs, while it does.
func (h *Heap) PlaceIn(call ssa.CallInstruction, v ssa.Value) *Place {
	return h.place(v, func(to *instance) bool {
		for _, in := range h.byFunc[call.Parent()] {
			if slices.Contains(in.calls[call], to) {
				return true
			}
		}
		return false
	})
}

// At returns where the part at path of what an instruction allocates lies, a path as
// [kind.LocalAddress] gives it.
func (h *Heap) At(site ssa.Value, path kind.PathTo) *Place {
	p := &Place{h: h}
	for _, o := range h.space.made[site] {
		p.descend(o.start, o.typ, path)
	}
	return p
}

// Part returns where the part at path of what a pointer points to lies.
func (h *Heap) Part(pointer ssa.Value, path kind.PathTo) *Place {
	p := &Place{h: h}
	for _, cell := range h.pointees(pointer, nil, &p.several) {
		p.descend(cell, kind.Deref(pointer.Type()), path)
	}
	return p
}

// descend adds the part at path of a value of type t to a place.
func (p *Place) descend(cell int, t types.Type, path kind.PathTo) {
	h := p.h
	for _, step := range path {
		l := h.space.layouts.of(t)
		switch u := t.Underlying().(type) {
		case *types.Struct:
			cell, t = h.space.shift(cell, l.part(step)), u.Field(step).Type()
		case *types.Array:
			cell, t = h.space.shift(cell, l.part(0)), u.Elem()
		}
	}
	for _, c := range h.space.spread(cell, 0, t) {
		p.cells.Insert(c)
	}
}

// Empty reports whether nothing is known to lie there: code that never runs, or a
// pointer that is nil.
func (p *Place) Empty() bool { return p.cells.IsEmpty() }

// Equals reports whether two places are the same cells.
func (p *Place) Equals(q *Place) bool { return p.cells.Equals(&q.cells) }

// Meets reports whether two places have a part in common.
func (p *Place) Meets(q *Place) bool { return p.cells.Intersects(&q.cells) }

// Begins reports whether the place may be where the part at path begins of what an
// instruction allocates.
func (p *Place) Begins(site ssa.Value, path kind.PathTo) bool {
	part := p.h.At(site, path)
	for _, o := range p.h.space.made[site] {
		if part.cells.IsEmpty() {
			return false
		}
		if first := part.cells.LowerBound(o.start); first < o.start+o.size && p.cells.Has(first) {
			return true
		}
	}
	return false
}

// Objects lists what lies at the place.
func (p *Place) Objects() []*Object {
	var out []*Object
	for _, c := range p.cells.AppendTo(nil) {
		if o := p.h.space.owner[c]; o != nil && (len(out) == 0 || out[len(out)-1] != o) {
			out = append(out, o)
		}
	}
	return out
}

// Writers lists the instructions that may write to the place, in the order of the
// source: stores, updates of maps, and calls of copy, clear and append.
func (p *Place) Writers() []ssa.Instruction {
	var found cells
	for _, c := range p.cells.AppendTo(nil) {
		for _, n := range p.h.writers[c] {
			found.Insert(n)
		}
	}
	var out []ssa.Instruction
	for _, n := range found.AppendTo(nil) {
		out = append(out, p.h.writes[n])
	}
	return out
}

// Written reports whether a call may run an instruction in view that writes to the
// place.
func (p *Place) Written(call ssa.CallInstruction) bool {
	for _, in := range p.h.byFunc[call.Parent()] {
		for _, to := range in.calls[call] {
			if p.h.mods(to).Intersects(&p.cells) {
				return true
			}
		}
	}
	return false
}

// Changing returns the place without what only the instruction writes to that begins what
// is made there: whoever has a pointer to it finds the same.
func (p *Place) Changing() *Place {
	q := &Place{h: p.h, several: p.several}
	for _, c := range p.cells.AppendTo(nil) {
		if !begun(p.h, c) {
			q.cells.Insert(c)
		}
	}
	return q
}

// begun reports whether the only write to a cell is a store in the block that makes it,
// before anything else is done with it.
func begun(h *Heap, cell int) bool {
	o := h.space.owner[cell]
	if o == nil || o.Outside || len(h.writers[cell]) != 1 {
		return false
	}
	a, isAlloc := o.Site.(*ssa.Alloc)
	s, isStore := h.writes[h.writers[cell][0]].(*ssa.Store)
	if !isAlloc || !isStore || s.Addr != ssa.Value(a) || s.Block() != a.Block() {
		return false
	}
	for _, i := range a.Block().Instrs {
		if slices.ContainsFunc(i.Operands(nil), func(v *ssa.Value) bool { return *v == ssa.Value(a) }) {
			return i == ssa.Instruction(s)
		}
	}
	return false
}

// Single reports whether the place is one object's, of which there is one each time
// that the function runs which makes it: what is stored there replaces what was.
func (p *Place) Single() bool {
	os := p.Objects()
	if len(os) == 0 || p.several || !p.h.space.once(os[0].Site) {
		return false
	}
	switch os[0].Site.(type) {
	case *ssa.Alloc, *ssa.Global:
	default:
		return false // elements
	}
	for _, o := range os {
		if o.Site != os[0].Site || o.Outside || o.many {
			return false
		}
		l := p.h.space.layouts.of(o.typ)
		for c := p.cells.LowerBound(o.start); c < o.start+o.size; c = p.cells.LowerBound(c + 1) {
			if l.elements[c-o.start] {
				return false
			}
		}
	}
	return true
}

// Inside reports whether all that may lie at the place is made in view.
func (p *Place) Inside() bool {
	for _, o := range p.Objects() {
		if o.Outside {
			return false
		}
	}
	return !p.Empty()
}

// MadeIn reports whether all that may lie at the place is made by a function, or a
// literal in it.
func (p *Place) MadeIn(fn *ssa.Function) bool {
	for _, o := range p.Objects() {
		if o.Outside || o.in == nil || kind.Outermost(o.in.fn) != fn {
			return false
		}
	}
	return !p.Empty()
}

// once reports whether an instruction runs once each time that its function does.
func (s *space) once(v ssa.Value) bool {
	if instr, ok := v.(ssa.Instruction); ok {
		return !s.graphs.Repeats(instr.Block())
	}
	_, global := v.(*ssa.Global)
	return global
}
