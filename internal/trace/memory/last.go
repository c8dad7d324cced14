package memory

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/control"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/way"
	"github.com/ttlvet/ttlvet/internal/value"
)

// A history tells what has been written, on the way to a load, to the place that it
// loads: by going back from it.
type history struct {
	p   *Memory
	way *way.Way
}

// lastWrites are the writes that may be the last before a load.
type lastWrites struct {
	stores  []program.Store
	sets    []SetByCall
	within  []within
	perhaps []program.Store // stores that may be to another object
	unknown string          // why it is not known what one of them writes
	fresh   bool            // the variable may come there as new
}

// Within is a store that a call runs, or a turn of a loop, to the part at path of a
// variable.
type within struct {
	frame *frame
	loop  *ssa.Phi // which counts the turns, where there is no call
	turn  int
	store *ssa.Store
	path  kind.PathTo
}

// lastWrites finds the writes to a part of a variable that may be the last before an
// instruction of the same function.
func (p *history) lastWrites(a *ssa.Alloc, path kind.PathTo, at ssa.Instruction, o *others) (w lastWrites) {
	direct := map[ssa.Instruction]program.Store{}
	for _, s := range p.p.Prog.Stores[a] {
		if path.HasPrefix(s.Path) || s.Path.HasPrefix(path) {
			direct[s.At] = s
		}
	}
	p.back(at, func(instr ssa.Instruction) bool {
		if s, ok := direct[instr]; ok {
			w.stores = append(w.stores, s)
			return path.HasPrefix(s.Path)
		}
		if o.stores[instr] {
			return p.indirect(instr, a, path, o.place, at, &w)
		}
		if instr == ssa.Instruction(a) {
			w.fresh = true
			return true
		}
		call, ok := instr.(ssa.CallInstruction)
		if !ok {
			return false
		}
		if set, stops := p.p.setsPart(call, a, path, o.place); stops {
			w.sets = append(w.sets, set)
			return true
		}
		return o.calls[call] && p.within(call, a, path, o.place, at, &w)
	})
	return w
}

// back is [control.Back], also through loops over lists that are known.
func (p *history) back(at ssa.Instruction, visit func(ssa.Instruction) (stop bool)) (begins bool) {
	return control.Back(at, p.takesTurn, visit)
}

// shared resolves a part of a variable that is written by way of other pointers too.
func (p *Reader) shared(a *ssa.Alloc, path kind.PathTo, at ssa.Instruction, o *others) *value.Value {
	whole := kind.Deref(a.Type())
	t := kind.TypeAt(whole, path)
	if !p.Way.Step() {
		return kind.UnknownOf(t, "too many steps to follow")
	}
	if kind.IsStruct(t) {
		return p.composite(a, path, t, at)
	}
	if at == nil || at.Parent() != a.Parent() {
		return kind.UnknownOf(t, perhapsBefore)
	}
	w := p.history.lastWrites(a, path, at, o)
	options := p.p.Objects.OptionCalls(a, path, at)
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
func (p *Reader) whichever(a *ssa.Alloc, path kind.PathTo, at ssa.Instruction, w lastWrites, options []OptionCall) *value.Value {
	whole := kind.Deref(a.Type())
	t := kind.TypeAt(whole, path)
	if len(w.sets)+len(options) > 0 {
		return kind.UnknownOf(t, perhapsBefore)
	}
	var all []*value.Value
	if w.fresh {
		all = append(all, p.p.Prog.ZeroOf(t))
	}
	for _, s := range append(w.stores, w.perhaps...) {
		all = append(all, p.fromDefs(a, []program.Store{s}, path, whole, at))
	}
	for _, c := range w.within {
		all = append(all, p.part(p.closed.storedWithin(c), kind.TypeAt(whole, c.path), path[len(c.path):]))
	}
	found := all
	if _, isList := t.Underlying().(*types.Slice); isList {
		if found = slices.DeleteFunc(slices.Clone(all), isEmpty); len(found) == 0 {
			return all[0]
		}
	}
	for _, v := range found[1:] {
		if !Same(v, found[0]) {
			return kind.UnknownOf(t, perhapsBefore)
		}
	}
	if len(found) < len(all) {
		return perhapsEmpty(found[0], t)
	}
	return all[0]
}

// isEmpty reports whether a list has no elements.
func isEmpty(list *value.Value) bool {
	b := list.Base()
	return b.Kind == value.Nil || b.Is(value.Zero) || b.Kind == value.List && len(b.Args) == 0
}

// perhapsEmpty returns a list of which it is not known whether it has its elements or
// none: an element that somebody finds is one of them. Where one is not known, neither is
// the list.
func perhapsEmpty(list *value.Value, t types.Type) *value.Value {
	if list.Base().Kind != value.List {
		return kind.UnknownOf(t, perhapsBefore)
	}
	there := value.UnknownFor("whether a list is empty")
	out := value.ListOf()
	for _, e := range list.Base().Args {
		switch {
		case e.Is(value.Spread):
			out.Args = append(out.Args, e)
		case e.Base().Kind == value.Unknown:
			return kind.UnknownOf(t, perhapsBefore)
		default:
			out = value.Concat(out, value.Apply(value.Where, value.ListOf(value.BoolOf(true)), there, e))
		}
	}
	return out
}

// Same reports whether two values are one: objects where they are made at one place.
func Same(v, w *value.Value) bool {
	if v.Base().Kind == value.Struct || w.Base().Kind == value.Struct {
		return v.Base().Site != nil && v.Base().Site == w.Base().Site
	}
	if v.String() != w.String() || len(v.Args) != len(w.Args) {
		return false
	}
	for i, a := range v.Args {
		if a.Has(isStruct) && !Same(a, w.Args[i]) { // of a struct the text does not say which
			return false
		}
	}
	return true
}

func isStruct(v *value.Value) bool { return v.Kind == value.Struct }
