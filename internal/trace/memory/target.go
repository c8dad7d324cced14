package memory

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/heap"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/value"
)

// target returns what a pointer points to, where that is one thing on all ways: by the
// heap, or by what the pointer is found to be.
func (p *history) target(pointer ssa.Value) *program.Part {
	if a, path := p.p.Prog.Heap().Pointee(pointer); a != nil {
		return p.p.Prog.PartOf(a, path)
	}
	if ia, ok := pointer.(*ssa.IndexAddr); ok {
		if list, decided := p.asked(ia.X); decided {
			index, _ := p.asked(ia.Index)
			return p.element(list, index)
		}
		return nil
	}
	if _, alloc := pointer.(*ssa.Alloc); alloc || !kind.IsPointer(pointer.Type()) && !types.IsInterface(pointer.Type()) {
		return nil // one of several that it makes
	}
	v, decided := p.asked(pointer)
	part := p.p.madeAs(v)
	if !decided || part == nil || kind.IsPointer(pointer.Type()) && !types.Identical(part.Type(), pointer.Type()) {
		return nil
	}
	if !p.p.Prog.Heap().Place(pointer).Begins(part.Alloc, part.Path) {
		return nil
	}
	return part
}

// element returns the element of a list as the part of an array; nil where it is not
// known of which array the list is.
func (p *history) element(list, index *value.Value) *program.Part {
	l := list.Base()
	array, ok := l.Site.(*program.Part)
	n, known := index.IsInt()
	if !ok || !known || l.Kind != value.List || n < 0 {
		return nil
	}
	t, ok := kind.Deref(array.Type()).Underlying().(*types.Array)
	if n += l.Num; !ok || n >= t.Len() {
		return nil
	}
	return p.p.Prog.PartOf(array.Alloc, append(array.Path[:len(array.Path):len(array.Path)], -1-int(n)))
}

// asked resolves a value where that takes no choice, unless it is being asked for: what
// it points to then hangs on itself.
func (p *history) asked(v ssa.Value) (r *value.Value, decided bool) {
	if p.p.asking[v] {
		return value.UnknownFor("a value that depends on itself"), false
	}
	p.p.asking[v] = true
	defer delete(p.p.asking, v)
	return p.way.EvalFrozen(v)
}

// A hit is what a store does to a part of a variable.
type hit int

const (
	perhaps hit = iota // it may write to it
	never
	surely // it replaces it, or what it is part of
)

// hits tells what a store to the part at path of what root points to does to a part of a
// variable, and which part it replaces.
func (p *history) hits(root ssa.Value, rel kind.PathTo, a *ssa.Alloc, path kind.PathTo) (hit, kind.PathTo) {
	to := p.target(root)
	if root == ssa.Value(a) {
		to = p.p.Prog.PartOf(a, nil)
	}
	if to == nil {
		return perhaps, nil
	}
	whole := append(to.Path[:len(to.Path):len(to.Path)], rel...)
	switch {
	case to.Alloc != a:
		return never, nil
	case path.HasPrefix(whole):
		if root != ssa.Value(a) && p.p.Prog.Graphs.Repeats(a.Block()) {
			return perhaps, nil // of another turn
		}
		return surely, whole
	case !whole.HasPrefix(path) && !whole.Meets(path):
		return never, nil
	}
	return perhaps, nil
}

// indirect adds a write by way of another pointer, and reports whether nothing that was
// there before it counts.
func (p *history) indirect(instr ssa.Instruction, a *ssa.Alloc, path kind.PathTo, place *heap.Place, at ssa.Instruction, w *lastWrites) bool {
	s, ok := instr.(*ssa.Store)
	if !ok {
		w.unknown = "elements that are set by way of another list"
		return true
	}
	root, rel := p.p.Prog.Address(s.Addr)
	is, whole := p.hits(root, rel, a, path)
	if is == perhaps {
		if t, known := p.inTurn(root, rel, s, a, path, at); t != nil {
			w.within = append(w.within, *t)
			return true
		} else if known {
			return false
		}
	}
	switch is {
	case never:
		return false
	case surely:
		w.stores = append(w.stores, program.Store{Path: whole, Val: s.Val, At: s})
		return true
	}
	to := program.Store{Path: path, Val: s.Val, At: s}
	if !types.Identical(s.Val.Type(), kind.TypeAt(kind.Deref(a.Type()), path)) {
		w.unknown = perhapsBefore
		return true
	}
	if place.Single() && p.p.Prog.Heap().Place(s.Addr).Equals(place) {
		w.stores = append(w.stores, to)
		return true
	}
	w.perhaps = append(w.perhaps, to)
	return false
}
