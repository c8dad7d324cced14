package memory

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/control"
	"github.com/ttlvet/ttlvet/internal/trace/heap"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/value"
)

// target returns what a pointer points to, where that is one thing on all ways: by the
// heap, or by what the pointer is found to be.
func (p *Reader) target(pointer ssa.Value) *program.Part {
	if a, path := p.p.Heap().Pointee(pointer); a != nil {
		return p.p.PartOf(a, path)
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
	if !p.p.Heap().Place(pointer).Begins(part.Alloc, part.Path) {
		return nil
	}
	return part
}

// element returns the element of a list as the part of an array; nil where it is not
// known of which array the list is.
func (p *Reader) element(list, index *value.Value) *program.Part {
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
	return p.p.PartOf(array.Alloc, append(array.Path[:len(array.Path):len(array.Path)], -1-int(n)))
}

// asked resolves a value where that takes no choice, unless it is being asked for: what
// it points to then hangs on itself.
func (p *Reader) asked(v ssa.Value) (r *value.Value, decided bool) {
	if p.p.asking[v] {
		return value.UnknownFor("a value that depends on itself"), false
	}
	p.p.asking[v] = true
	defer delete(p.p.asking, v)
	return p.EvalFrozen(v)
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
func (p *Reader) hits(root ssa.Value, rel kind.PathTo, a *ssa.Alloc, path kind.PathTo) (hit, kind.PathTo) {
	to := p.target(root)
	if to == nil {
		return perhaps, nil
	}
	whole := append(to.Path[:len(to.Path):len(to.Path)], rel...)
	switch {
	case to.Alloc != a:
		return never, nil
	case path.HasPrefix(whole):
		if p.p.Repeats(a.Block()) {
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
func (p *Reader) indirect(instr ssa.Instruction, a *ssa.Alloc, path kind.PathTo, place *heap.Place, at ssa.Instruction, w *lastWrites) bool {
	s, ok := instr.(*ssa.Store)
	if !ok {
		w.unknown = "elements that are set by way of another list"
		return true
	}
	root, rel := p.p.Address(s.Addr)
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
	if place.Single() && p.p.Heap().Place(s.Addr).Equals(place) {
		w.stores = append(w.stores, to)
		return true
	}
	w.perhaps = append(w.perhaps, to)
	return false
}

// within adds what a call writes, and reports whether nothing that was there before it
// counts.
func (p *Reader) within(call ssa.CallInstruction, a *ssa.Alloc, path kind.PathTo, place *heap.Place, w *lastWrites) bool {
	is, c := p.calls(call, a, path, place)
	switch is {
	case never:
		return false
	case surely:
		w.within = append(w.within, *c)
	default:
		w.unknown = writtenByCall
	}
	return true
}

// calls tells what a call does to a part of a variable: what the only store does that it
// runs there, each time.
func (p *Reader) calls(call ssa.CallInstruction, a *ssa.Alloc, path kind.PathTo, place *heap.Place) (hit, *within) {
	if _, plain := call.(*ssa.Call); !plain {
		return perhaps, nil
	}
	fn, args := p.callee(call)
	if fn == nil {
		return perhaps, nil
	}
	var found *ssa.Store
	for _, w := range place.Writers() {
		if w.Parent() != fn && !p.p.Heap().MayReach(call, w.Parent()) {
			continue
		}
		s, ok := w.(*ssa.Store)
		if !ok || found != nil || s.Parent() != fn {
			return perhaps, nil
		}
		found = s
	}
	if found == nil {
		return never, nil // it runs another method
	}
	root, rel := p.p.Address(found.Addr)
	if param, ok := root.(*ssa.Parameter); ok {
		i := kind.ParamIndex(param)
		if i >= len(args) {
			return perhaps, nil
		}
		var before kind.PathTo
		root, before = p.p.Address(kind.Stripped(args[i]))
		rel = append(before[:len(before):len(before)], rel...)
	}
	is, whole := p.hits(root, rel, a, path)
	if is == perhaps && place.Single() && p.p.Heap().PlaceIn(call, found.Addr).Equals(place) {
		is, whole = surely, path
	}
	if is == surely && !control.Always(found) {
		return perhaps, nil
	}
	return is, &within{call: call, fn: fn, store: found, path: whole}
}

// callee returns the only function of the package that a call runs, and its arguments.
func (p *Reader) callee(call ssa.CallInstruction) (*ssa.Function, []ssa.Value) {
	common := call.Common()
	if common.IsInvoke() {
		part := p.target(common.Value)
		if part == nil {
			return nil, nil
		}
		m := p.p.MethodOf(&value.Value{Kind: value.Struct, Site: part}, common.Method)
		if m == nil {
			return nil, nil
		}
		fn := p.p.Pkg.Prog.FuncValue(m)
		if fn == nil || !p.p.HasBody(kind.Origin(fn)) {
			return nil, nil
		}
		return kind.Origin(fn), append([]ssa.Value{common.Value}, common.Args...)
	}
	if callee := common.StaticCallee(); callee != nil && !p.p.HasBody(kind.Origin(callee)) {
		return nil, nil // which may run what it is given, or not
	}
	fns := p.p.Heap().Calls(call)
	if len(fns) != 1 {
		return nil, nil
	}
	return fns[0], common.Args
}

// storedWithin resolves what a store of a callee stores, with the call's arguments, or
// one in a turn of a loop.
func (p *Reader) storedWithin(c within) *value.Value {
	if c.call == nil {
		return p.InTurn(c.loop, c.turn, func() *value.Value { return p.Eval(c.store.Val, c.store) })
	}
	t, ok := p.p.Target(c.call.Common())
	if c.call.Common().IsInvoke() {
		_, args := p.callee(c.call)
		t, ok = p.p.FunctionTarget(c.fn, args), true
	}
	if !ok {
		return value.UnknownFor(writtenByCall)
	}
	return p.p.Resited(p.Eval(c.store.Val, c.store), c.call, c.fn).Subst(p.Arguments(t, c.call).Binder(kind.Origin(c.fn)))
}
