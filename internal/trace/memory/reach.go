package memory

import (
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
// pointers; nil where there are none.
func (p *Memory) others(a *ssa.Alloc, path kind.PathTo, at ssa.Instruction) *others {
	o := &others{place: p.Heap().At(a, path), stores: map[ssa.Instruction]bool{}, calls: map[ssa.CallInstruction]bool{}}
	elsewhere := false
	for _, w := range o.place.Writers() {
		if s, ok := w.(*ssa.Store); ok {
			if root, _ := p.Address(s.Addr); root == ssa.Value(a) {
				continue
			}
		}
		if w.Parent() == a.Parent() {
			o.stores[w] = true
		} else {
			elsewhere = true
		}
	}
	if elsewhere {
		optional := map[ssa.CallInstruction]bool{}
		for _, c := range p.OptionCalls(a, path, nil) {
			optional[c.Call] = true
		}
		for _, call := range p.Calls[a.Parent()] {
			if optional[call] || !o.place.Written(call) {
				continue
			}
			if _, stops := p.SetsPart(call, a, path); !stops {
				o.calls[call] = true
			}
		}
	}
	if len(o.stores)+len(o.calls) == 0 {
		return nil
	}
	return o
}

// lastWrites are the writes that may be the last before a load.
type lastWrites struct {
	stores  []program.Store
	sets    []object.SetByCall
	perhaps []program.Store // stores that may be to another object
	unknown string          // why it is not known what one of them writes
	fresh   bool            // the variable may come there as new
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
	case len(w.perhaps) > 0:
		return p.whichever(a, path, at, w, options)
	case len(w.stores)+len(w.sets) == 0:
		return p.withOptions(p.zeroPart(a, path, t, at), options, nil)
	}
	return p.alternatives(a, w.stores, w.sets, options, path, whole, at, w.fresh && p.mayBeZero(w.stores, t))
}

// whichever resolves a part of memory to what it holds whichever of the stores was the
// last, if that is one thing.
func (p *Reader) whichever(a *ssa.Alloc, path kind.PathTo, at ssa.Instruction, w lastWrites, options []object.OptionCall) *value.Value {
	whole := kind.Deref(a.Type())
	t := kind.TypeAt(whole, path)
	if len(w.sets)+len(options) > 0 {
		return kind.UnknownOf(t, perhapsBefore)
	}
	var same *value.Value
	if w.fresh {
		same = p.p.ZeroOf(t)
	}
	for _, s := range append(w.stores, w.perhaps...) {
		v := p.fromDefs(a, []program.Store{s}, path, whole, at)
		if same != nil && same.String() != v.String() {
			return kind.UnknownOf(t, perhapsBefore)
		}
		same = v
	}
	return same
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
	seen := map[*ssa.BasicBlock]bool{}
	var walk func(b *ssa.BasicBlock, from int)
	walk = func(b *ssa.BasicBlock, from int) {
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
				if p.indirect(instr, path, o.place, &w) {
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
			if set, stops := p.SetsPart(call, a, path); stops {
				w.sets = append(w.sets, set)
				return
			}
			if o.calls[call] {
				w.unknown = writtenByCall
				return
			}
		}
		w.fresh = w.fresh || len(b.Preds) == 0
		for _, pred := range b.Preds {
			if !seen[pred] {
				seen[pred] = true
				walk(pred, len(pred.Instrs)-1)
			}
		}
	}
	walk(at.Block(), control.Index(at)-1)
	return w
}

// indirect adds a write by way of another pointer, and reports whether it is certain
// to replace what was there.
func (p *Memory) indirect(instr ssa.Instruction, path kind.PathTo, place *heap.Place, w *lastWrites) bool {
	s, ok := instr.(*ssa.Store)
	if !ok {
		w.unknown = "elements that are set by way of another list"
		return true
	}
	to := program.Store{Path: path, Val: s.Val, At: s}
	if place.Single() && p.Heap().Place(s.Addr).Equals(place) {
		w.stores = append(w.stores, to)
		return true
	}
	w.perhaps = append(w.perhaps, to)
	return false
}
