package memory

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/control"
	"github.com/ttlvet/ttlvet/internal/trace/heap"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/object"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Reasons for which a load is not known.
const (
	writtenByCall = "what a call stores"
	perhapsBefore = "a part of memory that may have been written by way of another pointer"
)

// Others are the writes to a part of a variable, in the function that has it, that do
// not go by the variable's own address.
type others struct {
	place  *heap.Place
	stores map[ssa.Instruction]bool
	calls  map[ssa.CallInstruction]bool // that may run such writes, and of which nothing else says what they set
}

// others returns the writes to the part at path of a variable by way of other
// pointers, and those to elements of which it is not known which; nil where there are
// none.
func (p *Memory) others(a *ssa.Alloc, path kind.PathTo) *others {
	o := &others{place: p.Heap().At(a, path), stores: map[ssa.Instruction]bool{}, calls: map[ssa.CallInstruction]bool{}}
	elsewhere, literals := false, false
	for _, w := range o.place.Writers() {
		if s, ok := w.(*ssa.Store); ok {
			root, to := p.Address(s.Addr)
			if root == ssa.Value(a) && (path.HasPrefix(to) || to.HasPrefix(path) || !path.Meets(to)) {
				literals = literals || w.Parent() != a.Parent()
				continue
			}
		}
		call, abroad := w.(*ssa.Call)
		_, builtin := ssa.Value(nil), false
		if abroad {
			_, builtin = call.Call.Value.(*ssa.Builtin)
		}
		switch {
		case w.Parent() != a.Parent():
			elsewhere = true
		case !abroad || builtin:
			o.stores[w] = true
		default:
			if _, stops := p.setsPart(call, a, path, o.place); !stops {
				o.calls[call] = true
			}
		}
	}
	// What only literals write is told by what runs them: see [program.Program.Reaching].
	if elsewhere || literals && len(o.stores)+len(o.calls) > 0 {
		optional := map[ssa.CallInstruction]bool{}
		for _, c := range p.OptionCalls(a, path, nil) {
			optional[c.Call] = true
		}
		for _, call := range p.Calls[a.Parent()] {
			if optional[call] || !o.place.Written(call) {
				continue
			}
			if _, stops := p.setsPart(call, a, path, o.place); !stops {
				o.calls[call] = true
			}
		}
	}
	if len(o.stores)+len(o.calls) == 0 {
		return nil
	}
	return o
}

// setsPart is [object.Objects.SetsPart] for calls of which nobody but the heap knows what
// they set: they are none of its.
func (p *Memory) setsPart(call ssa.CallInstruction, a *ssa.Alloc, path kind.PathTo, place *heap.Place) (object.SetByCall, bool) {
	set, stops := p.SetsPart(call, a, path)
	if callee := call.Common().StaticCallee(); stops && set.Set == nil && callee != nil && p.HasBody(kind.Origin(callee)) && place.Written(call) {
		return object.SetByCall{}, false
	}
	return set, stops
}

// lastWrites are the writes that may be the last before a load.
type lastWrites struct {
	stores  []program.Store
	sets    []object.SetByCall
	within  []within
	perhaps []program.Store // stores that may be to another object
	unknown string          // why it is not known what one of them writes
	fresh   bool            // the variable may come there as new
}

// Within is a store that a call runs.
type within struct {
	call  ssa.CallInstruction
	store *ssa.Store
}

// shared resolves a part of a variable that is written by way of other pointers too.
func (p *Reader) shared(a *ssa.Alloc, path kind.PathTo, at ssa.Instruction, o *others) *value.Value {
	whole := kind.Deref(a.Type())
	t := kind.TypeAt(whole, path)
	if isStruct(t) {
		return p.composite(a, path, t, at)
	}
	if at == nil || at.Parent() != a.Parent() {
		return kind.UnknownOf(t, perhapsBefore)
	}
	w := p.p.lastWrites(a, path, at, o)
	options := p.p.OptionCalls(a, path, at)
	switch {
	case w.unknown != "":
		return kind.UnknownOf(t, w.unknown)
	case len(w.perhaps)+len(w.within) > 0:
		return p.whichever(a, path, at, w, options)
	case len(w.stores)+len(w.sets) == 0:
		return p.withOptions(p.zeroPart(a, path, t, at), options, nil)
	}
	return p.alternatives(a, w.stores, w.sets, options, path, whole, at, w.fresh && p.mayBeZero(w.stores, t))
}

// whichever resolves a part of memory to what it holds whichever of the writes was the
// last, if that is one thing.
func (p *Reader) whichever(a *ssa.Alloc, path kind.PathTo, at ssa.Instruction, w lastWrites, options []object.OptionCall) *value.Value {
	whole := kind.Deref(a.Type())
	t := kind.TypeAt(whole, path)
	if len(w.sets)+len(options) > 0 {
		return kind.UnknownOf(t, perhapsBefore)
	}
	var all []*value.Value
	if w.fresh {
		all = append(all, p.p.ZeroOf(t))
	}
	for _, s := range append(w.stores, w.perhaps...) {
		all = append(all, p.fromDefs(a, []program.Store{s}, path, whole, at))
	}
	for _, c := range w.within {
		all = append(all, p.storedWithin(c))
	}
	for _, v := range all[1:] {
		if !same(v, all[0]) {
			return kind.UnknownOf(t, perhapsBefore)
		}
	}
	return all[0]
}

// same reports whether two values are one: objects where they are made at one place.
func same(v, w *value.Value) bool {
	if v.Base().Kind == value.Struct || w.Base().Kind == value.Struct {
		return v.Base().Site != nil && v.Base().Site == w.Base().Site
	}
	return v.String() == w.String()
}

// storedWithin resolves what a store of a callee stores, with the call's arguments.
func (p *Reader) storedWithin(c within) *value.Value {
	t, ok := p.p.Target(c.call.Common())
	if !ok {
		return value.UnknownFor(writtenByCall)
	}
	fn := c.store.Parent()
	return p.p.Resited(p.Eval(c.store.Val, c.store), c.call, fn).Subst(p.Arguments(t, c.call).Binder(kind.Origin(fn)))
}

// lastWrites finds the writes to a part of a variable that may be the last before an
// instruction of the same function.
func (p *Memory) lastWrites(a *ssa.Alloc, path kind.PathTo, at ssa.Instruction, o *others) (w lastWrites) {
	direct := map[ssa.Instruction]program.Store{}
	for _, s := range p.Stores[a] {
		if path.HasPrefix(s.Path) || s.Path.HasPrefix(path) {
			direct[s.At] = s
		}
	}
	// A loop that always takes a turn is not come through from its beginning alone.
	type visit struct {
		b    *ssa.BasicBlock
		left bool
	}
	seen := map[visit]bool{}
	var walk func(b *ssa.BasicBlock, from int, left bool)
	walk = func(b *ssa.BasicBlock, from int, left bool) {
		for i := from; i >= 0; i-- {
			instr := b.Instrs[i]
			if s, ok := direct[instr]; ok {
				w.stores = append(w.stores, s)
				if path.HasPrefix(s.Path) {
					return
				}
				continue
			}
			if o.stores[instr] {
				if p.indirect(instr, a, path, o.place, &w) {
					return
				}
				continue
			}
			if instr == ssa.Instruction(a) {
				w.fresh = true
				return
			}
			call, ok := instr.(ssa.CallInstruction)
			if !ok {
				continue
			}
			if set, stops := p.setsPart(call, a, path, o.place); stops {
				w.sets = append(w.sets, set)
				return
			}
			if o.calls[call] {
				if s := p.certainWithin(call, o.place); s != nil {
					w.within = append(w.within, within{call, s})
				} else {
					w.unknown = writtenByCall
				}
				return
			}
		}
		w.fresh = w.fresh || len(b.Preds) == 0
		for _, pred := range b.Preds {
			if left && !b.Dominates(pred) || control.Dead(pred, b) {
				continue
			}
			if v := (visit{pred, control.Leaves(pred, b) && control.TakesTurn(pred)}); !seen[v] {
				seen[v] = true
				walk(pred, len(pred.Instrs)-1, v.left)
			}
		}
	}
	walk(at.Block(), control.Index(at)-1, false)
	return w
}

// indirect adds a write by way of another pointer, and reports whether it is certain
// to replace what was there.
func (p *Memory) indirect(instr ssa.Instruction, a *ssa.Alloc, path kind.PathTo, place *heap.Place, w *lastWrites) bool {
	s, ok := instr.(*ssa.Store)
	if !ok {
		w.unknown = "elements that are set by way of another list"
		return true
	}
	if of, whole := p.Heap().Pointee(s.Addr); of == a && path.HasPrefix(whole) {
		w.stores = append(w.stores, program.Store{Path: whole, Val: s.Val, At: s})
		return true
	}
	to := program.Store{Path: path, Val: s.Val, At: s}
	if !types.Identical(s.Val.Type(), kind.TypeAt(kind.Deref(a.Type()), path)) {
		w.unknown = perhapsBefore
		return true
	}
	if place.Single() && p.Heap().Place(s.Addr).Equals(place) {
		w.stores = append(w.stores, to)
		return true
	}
	w.perhaps = append(w.perhaps, to)
	return false
}

// certainWithin returns the only store to a place that a call of a function of the
// package runs, where it runs each time and the place is one object's; nil otherwise.
func (p *Memory) certainWithin(call ssa.CallInstruction, place *heap.Place) *ssa.Store {
	if _, plain := call.(*ssa.Call); !plain || !place.Single() {
		return nil
	}
	if callee := call.Common().StaticCallee(); callee != nil && !p.HasBody(kind.Origin(callee)) {
		return nil // which may run what it is given, or not
	}
	fns := p.Heap().Calls(call)
	if len(fns) != 1 {
		return nil
	}
	var found *ssa.Store
	for _, w := range place.Writers() {
		if w.Parent() == call.Parent() {
			continue
		}
		s, ok := w.(*ssa.Store)
		if !ok || found != nil || s.Parent() != fns[0] {
			return nil
		}
		found = s
	}
	if found == nil || !p.Heap().PlaceIn(call, found.Addr).Equals(place) || !control.Always(found) {
		return nil
	}
	return found
}

// sameAs lists a pointer and the loads of its function that load the same.
func (p *Memory) sameAs(pointer ssa.Value) []ssa.Value {
	if load, ok := pointer.(*ssa.UnOp); ok {
		return p.samePointers(load)
	}
	return []ssa.Value{pointer}
}

// samePointers lists the loads in a function that load the same pointer as one does,
// itself among them: from a place that the function does not write to.
func (p *Memory) samePointers(load *ssa.UnOp) []ssa.Value {
	out := []ssa.Value{load}
	root, path := p.Address(load.X)
	if load.Op != token.MUL || root == ssa.Value(load) {
		return out
	}
	var same []ssa.Value
	for _, other := range p.PartLoads[root] {
		if to, prefix := p.Address(other.X); other != load && other.Parent() == load.Parent() && to == root && prefix.Equal(path) {
			same = append(same, other)
		}
	}
	if len(same) == 0 {
		return out
	}
	place := p.Heap().Place(load.X)
	for _, w := range place.Writers() {
		if w.Parent() == load.Parent() && !p.Precedes(w, load) {
			return out
		}
	}
	for _, w := range place.Writers() {
		for _, other := range same {
			if w.Parent() == load.Parent() && !p.Precedes(w, other.(*ssa.UnOp)) {
				return out
			}
		}
	}
	for _, call := range p.Calls[load.Parent()] {
		if place.Written(call) {
			return out
		}
	}
	return append(out, same...)
}
