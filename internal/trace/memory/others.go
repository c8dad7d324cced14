package memory

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/heap"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
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
	o := &others{place: p.Prog.Heap().At(a, path), stores: map[ssa.Instruction]bool{}, calls: map[ssa.CallInstruction]bool{}}
	elsewhere, literals := false, false
	for _, w := range o.place.Writers() {
		if s, ok := w.(*ssa.Store); ok {
			root, to := p.Prog.Address(s.Addr)
			if root == ssa.Value(a) && (path.HasPrefix(to) || to.HasPrefix(path) || !path.Meets(to)) {
				literals = literals || w.Parent() != a.Parent()
				continue
			}
		}
		call, abroad := w.(*ssa.Call)
		switch {
		case w.Parent() != a.Parent():
			elsewhere = true
		case !abroad || kind.Builtin(call, "copy", "clear", "append") != nil:
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
		for _, c := range p.Objects.OptionCalls(a, path, nil) {
			optional[c.Call] = true
		}
		for _, call := range p.Prog.Calls[a.Parent()] {
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
func (p *Memory) setsPart(call ssa.CallInstruction, a *ssa.Alloc, path kind.PathTo, place *heap.Place) (SetByCall, bool) {
	set, stops := p.Objects.SetsPart(call, a, path)
	if callee := call.Common().StaticCallee(); stops && !set.tells() && callee != nil && p.Prog.HasBody(kind.Origin(callee)) && place.Written(call) {
		return SetByCall{}, false
	}
	return set, stops
}
