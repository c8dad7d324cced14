package memory

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/control"
	"github.com/ttlvet/ttlvet/internal/trace/heap"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/value"
)

// site returns what tells a struct at a path of a root apart from others.
func (p *Memory) site(root ssa.Value, path kind.PathTo) any {
	if a, ok := root.(*ssa.Alloc); ok && len(path) > 0 {
		return p.Prog.PartOf(a, path)
	}
	return root
}

// madeAs returns the variable, or the part of one, that a value was read from as a
// struct; nil where it is no such struct.
func (p *Memory) madeAs(v *value.Value) *program.Part {
	if v.Base().Kind != value.Struct {
		return nil
	}
	switch site := v.Base().Site.(type) {
	case *program.Part:
		return site
	case *ssa.Alloc:
		return p.Prog.PartOf(site, nil)
	}
	return nil
}

// partAt resolves a part as it is when an instruction reads it.
func (p *Reader) partAt(part *program.Part, at ssa.Instruction) *value.Value {
	return p.composite(part.Alloc, part.Path, kind.Deref(part.Type()), at)
}

// pointsTo returns the variable of the function of an instruction, or of one around it,
// that a pointer points to, or an interface with a
// pointer in it, of which v is what it held when the pointer was made; nil where that
// is not known.
func (p *Reader) pointsTo(pointer ssa.Value, v *value.Value, at ssa.Instruction) *program.Part {
	part := p.p.madeAs(v)
	if at == nil || part == nil || !kind.IsPointer(pointer.Type()) && !types.IsInterface(pointer.Type()) {
		return nil
	}
	if at.Parent() != part.Parent() && !kind.Within(at.Parent(), part.Parent()) || !p.p.Prog.Heap().Place(pointer).Begins(part.Alloc, part.Path) {
		return nil
	}
	return part
}

// pointee returns the only variable that a loaded pointer can point to, and the part of
// it, where that is one of the function of an instruction, or of one around it.
func (p *Memory) pointee(pointer ssa.Value, at ssa.Instruction) (*ssa.Alloc, kind.PathTo) {
	if load, ok := pointer.(*ssa.UnOp); !ok || load.Op != token.MUL || at == nil {
		return nil, nil
	}
	a, path := p.Prog.Heap().Pointee(pointer)
	if a == nil || at.Parent() != a.Parent() && !kind.Within(at.Parent(), a.Parent()) {
		return nil, nil
	}
	return a, path
}

// Now resolves a value, of a pointer what it points to when the instruction uses it, not
// when it was put where it is loaded from.
func (p *Reader) Now(v ssa.Value, at ssa.Instruction) *value.Value {
	return p.asNow(v, p.Way.Eval(v, at), at)
}

// asNow returns what a pointer points to as it is when an instruction uses it, where it
// may be written to since obj was found.
func (p *Reader) asNow(pointer ssa.Value, obj *value.Value, at ssa.Instruction) *value.Value {
	part := p.pointsTo(pointer, obj, at)
	if part == nil {
		return obj
	}
	if root, _ := p.p.Prog.Address(pointer); root == ssa.Value(part.Alloc) && !p.p.othersOf(part.Alloc) || p.p.asReturned(pointer, part.Alloc, at) {
		return obj
	}
	return p.partAt(part, at)
}

// writtenBut reports whether a struct is written to by others than some calls: by way of
// other pointers, by other calls, or after one of those calls.
func (p *Memory) writtenBut(a *ssa.Alloc, calls map[ssa.Instruction]bool) bool {
	place := p.Prog.Heap().At(a, nil)
	for _, w := range place.Writers() {
		s, ok := w.(*ssa.Store)
		if w.Parent() != a.Parent() {
			continue
		}
		if !ok {
			return true
		}
		if root, _ := p.Prog.Address(s.Addr); root != ssa.Value(a) {
			return true
		}
		for call := range calls {
			if p.Prog.Graphs.MayPrecede(call, s) {
				return true
			}
		}
	}
	for _, call := range p.Prog.Calls[a.Parent()] {
		if !calls[call] && place.Written(call) {
			return true
		}
	}
	return false
}

// asReturned reports whether nothing is written to a struct between the call that
// returns a pointer to it and an instruction: what the callee has made of it counts.
func (p *Memory) asReturned(pointer ssa.Value, a *ssa.Alloc, at ssa.Instruction) bool {
	made := kind.CallOf(pointer)
	if made == nil || at.Parent() != a.Parent() {
		return false
	}
	place := p.Prog.Heap().At(a, nil)
	since := func(w ssa.Instruction) bool {
		return p.Prog.Graphs.MayPrecede(made, w) && p.Prog.Graphs.MayPrecede(w, at)
	}
	for _, w := range place.Writers() {
		if since(w) {
			return false
		}
	}
	for _, call := range p.Prog.Calls[a.Parent()] {
		if since(call) && place.Written(call) {
			return false
		}
	}
	return true
}

// current returns what the pointer in a method value points to as it is when the method
// runs.
func (p *Reader) current(obj *value.Value, at ssa.Instruction) *value.Value {
	part := p.p.madeAs(obj)
	if part == nil || at == nil || at.Parent() != part.Parent() && !kind.Within(at.Parent(), part.Parent()) {
		return obj
	}
	if len(p.p.Prog.Heap().At(part.Alloc, nil).Writers()) == 0 {
		return obj
	}
	return p.partAt(part, at)
}

// othersOf reports whether a part of a struct is written by way of other pointers.
func (p *Memory) othersOf(a *ssa.Alloc) bool {
	if known, ok := p.shares[a]; ok {
		return known
	}
	p.shares[a] = false
	s, ok := kind.Deref(a.Type()).Underlying().(*types.Struct)
	for i := 0; ok && i < s.NumFields() && !p.shares[a]; i++ {
		p.shares[a] = p.others(a, kind.PathTo{i}) != nil
	}
	return p.shares[a]
}

// asOf returns the instruction of the function that has a variable as of which a
// literal in it reads a part of the variable: the only one that runs it, or where it is
// made or used, if nothing is written there afterwards. It is nil where the literal may
// read what is written at any time.
func (p *Memory) asOf(a ssa.Value, place *heap.Place, at ssa.Instruction) ssa.Instruction {
	mc := p.Prog.LiteralIn(a.Parent(), at)
	if mc == nil {
		return nil
	}
	literal := mc.Fn.(*ssa.Function)
	for _, w := range place.Writers() {
		if w.Parent() == literal || kind.Within(w.Parent(), literal) || p.writtenAnyTime(w, a.Parent()) {
			return nil
		}
	}
	if p.writtenByHolders(a, place) {
		return nil
	}
	only := control.OnlyUse(mc)
	call, isCall := only.(ssa.CallInstruction)
	writes := isCall && place.Written(call)
	switch {
	case only != nil && !writes && p.Prog.RunsNow(mc, only) && p.Prog.RunsWithin(at, literal):
		return only
	case !p.writtenSince(mc, a.Parent(), place):
		return mc
	case only != nil && !writes && !p.writtenSince(only, a.Parent(), place):
		return only
	}
	return nil
}

// writtenAnyTime reports whether a write stands in a literal of a function that others
// than the function itself may run.
func (p *Memory) writtenAnyTime(write ssa.Instruction, fn *ssa.Function) bool {
	if write.Parent() == fn || !kind.Within(write.Parent(), fn) {
		return false
	}
	mc := p.Prog.LiteralIn(fn, write)
	if mc == nil {
		return true
	}
	only := control.OnlyUse(mc)
	return only == nil || !p.Prog.RunsNow(mc, only)
}

// writtenByHolders reports whether whoever has a pointer to a variable may write to a part
// of it when its function has made a literal: what literals call, and whatever else
// is not run by the function itself.
func (p *Memory) writtenByHolders(a ssa.Value, place *heap.Place) bool {
	fn := a.Parent()
	elsewhere := slices.ContainsFunc(place.Writers(), func(w ssa.Instruction) bool { return kind.Outermost(w.Parent()) != kind.Outermost(fn) })
	switch {
	case !elsewhere:
		return false
	case !slices.ContainsFunc(p.Prog.Calls[fn], place.Written):
		return true
	}
	var by func(fn *ssa.Function) bool
	by = func(fn *ssa.Function) bool {
		return slices.ContainsFunc(fn.AnonFuncs, func(literal *ssa.Function) bool {
			return by(literal) || slices.ContainsFunc(p.Prog.Calls[literal], func(call ssa.CallInstruction) bool {
				return place.Written(call)
			})
		})
	}
	return by(fn)
}

// writtenAside reports whether others than the function that has a variable write to a part
// of it by way of another pointer, such as one that a literal captures.
func (p *Memory) writtenAside(a *ssa.Alloc, place *heap.Place) bool {
	return p.writtenByHolders(a, place) || slices.ContainsFunc(place.Writers(), func(w ssa.Instruction) bool {
		if !kind.Within(w.Parent(), a.Parent()) {
			return false
		}
		s, ok := w.(*ssa.Store)
		if !ok {
			return true
		}
		root, _ := p.Prog.Address(s.Addr)
		return root != ssa.Value(a)
	})
}

// writtenSince reports whether a function may write to a part of a variable after one of
// its instructions.
func (p *Memory) writtenSince(at ssa.Instruction, fn *ssa.Function, place *heap.Place) bool {
	for _, w := range place.Writers() {
		if w.Parent() == fn && p.Prog.Graphs.MayPrecede(at, w) {
			return true
		}
	}
	return slices.ContainsFunc(p.Prog.Calls[fn], func(call ssa.CallInstruction) bool {
		return p.Prog.Graphs.MayPrecede(at, call) && place.Written(call)
	})
}

// writtenBeside reports whether the part at path of what a pointer points to may have
// been written before an instruction, and after one of some stores if there are any, by
// way of another pointer, or by a call of which nothing else says what it sets there.
func (p *Memory) writtenBeside(root ssa.Value, path kind.PathTo, at ssa.Instruction, stores []program.Store) bool {
	if at == nil || !kind.IsPointer(root.Type()) {
		return false
	}
	if _, element := root.(*ssa.IndexAddr); element {
		return false // of a list, whose elements know by themselves
	}
	place := p.Prog.Heap().Part(root, path).Changing()
	writers := place.Writers()
	if len(writers) == 0 {
		return false
	}
	// What a call returns is as that call leaves it.
	made := kind.CallOf(root)
	since := func(w ssa.Instruction) bool {
		later := func(d program.Store) bool { return d.At.Parent() != w.Parent() || p.Prog.Graphs.MayPrecede(d.At, w) }
		return w != made && (made == nil || p.Prog.Graphs.MayPrecede(made, w)) && p.Prog.Graphs.MayPrecede(w, at) && (len(stores) == 0 || slices.ContainsFunc(stores, later))
	}
	same := map[ssa.Value]bool{}
	for _, pointer := range p.sameAs(root) {
		same[pointer] = true
	}
	elsewhere, around := false, 0
	for _, w := range writers {
		if w.Parent() != at.Parent() {
			elsewhere = true
			if kind.Within(at.Parent(), w.Parent()) {
				around++
			}
			continue
		}
		if s, ok := w.(*ssa.Store); ok {
			if to, _ := p.Prog.Address(s.Addr); same[to] {
				continue
			}
		}
		if since(w) {
			return true
		}
	}
	if !elsewhere {
		return false
	}
	if _, given := root.(*ssa.Parameter); around > 1 && !given {
		return true // when the literal runs, nothing tells; what it is given it has as it runs
	}
	touched := map[ssa.Instruction]bool{}
	for pointer := range same {
		for _, t := range p.Objects.Touches(pointer) {
			touched[t.At] = true
		}
	}
	for _, call := range p.Prog.Calls[at.Parent()] {
		if !touched[call] && since(call) && place.Written(call) {
			return true
		}
	}
	return false
}
