package heap

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/container/intsets"
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
)

type cells = intsets.Sparse

// A Heap answers for one package.
type Heap struct {
	solver

	pkg     *ssa.Package
	layouts layouts

	owner    []*Object // of nodes that are cells
	made     map[ssa.Value][]*Object
	revealed map[int]bool

	instances  map[instanceKey]*instance
	byFunc     map[*ssa.Function][]*instance
	globals    map[*ssa.Global]int
	functions  map[*ssa.Function]int
	clones     map[*ssa.Function]bool
	roots      map[*ssa.Function]bool // functions that code out of view may call
	called     map[foreignCall]bool
	runs       map[*ssa.Function]bool // that calls in view are known to run
	foreigners []foreignCall          // the keys of called, in order
	funcs      []*ssa.Function
	abroad     func(*types.Func) []int
	known      func(*types.Func) bool
	pending    []*instance // to be generated
	later      []func()

	writers map[int][]int // by cell: the instructions that may write there, as indexes of writes
	writes  []ssa.Instruction
}

// New solves the heap of a package. funcs are its functions and literals.
// writes says by way of which arguments a function of another package writes, known
// whether facts say what it does.
func New(pkg *ssa.Package, funcs []*ssa.Function, writes func(*types.Func) []int, known func(*types.Func) bool) *Heap {
	h := &Heap{
		solver: solver{checked: map[[2]int32]bool{}}, pkg: pkg, funcs: funcs, abroad: writes, known: known, revealed: map[int]bool{}, made: map[ssa.Value][]*Object{},
		instances: map[instanceKey]*instance{}, byFunc: map[*ssa.Function][]*instance{},
		globals: map[*ssa.Global]int{}, functions: map[*ssa.Function]int{}, clones: map[*ssa.Function]bool{},
		roots: map[*ssa.Function]bool{}, called: map[foreignCall]bool{}, runs: map[*ssa.Function]bool{},
	}
	h.nodes(1) // no node has the number 0
	called := map[*ssa.Function]bool{}
	for _, fn := range funcs {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				if call, ok := instr.(ssa.CallInstruction); ok {
					if callee := call.Common().StaticCallee(); callee != nil {
						called[kind.Origin(callee)] = true
					}
				}
			}
		}
	}
	for _, fn := range funcs {
		if fn.Parent() == nil && len(fn.Blocks) > 0 && rooted(fn, called) {
			h.roots[fn] = true
			h.instance(fn, nil)
		}
	}
	h.run()
	h.leak()
	h.index(funcs)
	return h
}

// run generates and solves until nothing is left to do.
func (h *Heap) run() {
	for len(h.pending) > 0 || len(h.work) > 0 {
		for len(h.pending) > 0 {
			in := h.pending[0]
			h.pending = h.pending[1:]
			h.generate(in)
		}
		for _, f := range h.later {
			f()
		}
		h.later = nil
		h.solve()
	}
}

// index records which instructions write where.
func (h *Heap) index(funcs []*ssa.Function) {
	h.writers = map[int][]int{}
	for _, fn := range funcs {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				n := -1
				for _, in := range h.byFunc[fn] {
					for _, c := range h.writtenIn(in, instr) {
						if n < 0 {
							n = len(h.writes)
							h.writes = append(h.writes, instr)
						}
						if w := h.writers[c]; len(w) == 0 || w[len(w)-1] != n {
							h.writers[c] = append(w, n)
						}
					}
				}
			}
		}
	}
}

// writtenIn lists the cells that an instruction of an instance writes.
func (h *Heap) writtenIn(in *instance, instr ssa.Instruction) (out []int) {
	if call, ok := instr.(ssa.CallInstruction); ok && h.called[foreignCall{in, call}] {
		return h.writtenAbroad(in, call)
	}
	addr, t, at := h.written(instr)
	if addr == nil {
		return nil
	}
	for _, cell := range h.reached(in, addr) {
		out = append(out, h.spread(cell, at, t)...)
	}
	return out
}

// spread lists the cells of a value of type t that lies that many cells after one. Of
// a value of a generic type nothing says where it ends.
func (h *Heap) spread(cell, at int, t types.Type) []int {
	first := h.shift(cell, at)
	n := h.layouts.of(t).size()
	if o := h.owner[first]; generic(t) {
		n = o.start + o.size - first
	}
	out := make([]int, 0, n)
	for i := range n {
		if c := h.shift(first, i); c == first+i {
			out = append(out, c)
		}
	}
	return out
}

// written returns the address to which an instruction writes a value of type t, that
// many cells after it; nil where it does not.
func (h *Heap) written(instr ssa.Instruction) (addr ssa.Value, t types.Type, at int) {
	switch i := instr.(type) {
	case *ssa.Store:
		return i.Addr, i.Val.Type(), 0
	case *ssa.MapUpdate:
		return i.Map, i.Value.Type(), h.layouts.of(kind.Core(i.Map.Type()).(*types.Map).Key()).size()
	case *ssa.Call:
		b, ok := i.Call.Value.(*ssa.Builtin)
		if !ok || len(i.Call.Args) == 0 {
			return nil, nil, 0
		}
		s, ok := kind.Core(i.Call.Args[0].Type()).(*types.Slice)
		switch {
		case !ok:
		case b.Name() == "append" && !shortened(i.Call.Args[0]):
			// What is appended comes behind what is there.
		case b.Name() == "copy", b.Name() == "clear", b.Name() == "append":
			return i.Call.Args[0], s.Elem(), h.elements(s)
		}
	}
	return nil, nil, 0
}

// shortened reports whether elements that somebody sees may stand behind the end of a
// list. Of make([]T, 0, n), which is a slice of a new array, nobody does.
func shortened(v ssa.Value) bool {
	s, ok := v.(*ssa.Slice)
	if !ok || s.High == nil {
		return false
	}
	a, array := s.X.(*ssa.Alloc)
	return !array || len(*a.Referrers()) > 1
}

// reached lists the cells that a value may point to in one instance.
func (h *Heap) reached(in *instance, v ssa.Value) []int {
	var n int
	switch v := v.(type) {
	case *ssa.Global:
		n = h.global(v)
	case *ssa.Function:
		n = h.function(v)
	default:
		known, ok := in.values[v]
		if !ok {
			return nil
		}
		n = known
	}
	set := h.points[h.of(n)]
	if set == nil {
		return nil
	}
	return set.AppendTo(nil)
}

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
	t, at := h.pointed(v.Type())
	for _, cell := range h.pointees(v, only, &p.several) {
		for _, c := range h.spread(cell, at, t) {
			p.cells.Insert(c)
		}
	}
	return p
}

// pointed returns the type of what a value of type t points to, and how many cells
// after its beginning that lies: of a map its elements.
func (h *Heap) pointed(t types.Type) (of types.Type, at int) {
	switch u := kind.Core(t).(type) {
	case *types.Map:
		return u.Elem(), h.layouts.of(u.Key()).size()
	case *types.Slice:
		return u.Elem(), h.elements(u)
	case *types.Chan:
		return u.Elem(), 0
	}
	return kind.Deref(t), 0
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
	for _, o := range h.made[site] {
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
		l := h.layouts.of(t)
		switch u := t.Underlying().(type) {
		case *types.Struct:
			cell, t = h.shift(cell, l.part(step)), u.Field(step).Type()
		case *types.Array:
			cell, t = h.shift(cell, l.part(0)), u.Elem()
		}
	}
	for _, c := range h.spread(cell, 0, t) {
		p.cells.Insert(c)
	}
}

// Empty reports whether nothing is known to lie there: code that never runs, or a
// pointer that is nil.
func (p *Place) Empty() bool { return p.cells.IsEmpty() }

// Meets reports whether two places may be one.
func (p *Place) Meets(q *Place) bool { return p.cells.Intersects(&q.cells) }

// Equals reports whether two places are the same cells.
func (p *Place) Equals(q *Place) bool { return p.cells.Equals(&q.cells) }

// Begins reports whether the place may be where the part at path begins of what an
// instruction allocates.
func (p *Place) Begins(site ssa.Value, path kind.PathTo) bool {
	part := p.h.At(site, path)
	for _, o := range p.h.made[site] {
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
		if o := p.h.owner[c]; o != nil && (len(out) == 0 || out[len(out)-1] != o) {
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

// mods returns the cells that an instance writes, with what it calls.
func (h *Heap) mods(in *instance) *cells {
	if in.mods != nil {
		return in.mods
	}
	// What is called in a circle writes what all of it write.
	order, seen := []*instance{in}, map[*instance]bool{in: true}
	in.mods = &cells{}
	for i := 0; i < len(order); i++ {
		h.own(order[i], in.mods)
		for _, b := range order[i].fn.Blocks {
			for _, instr := range b.Instrs {
				call, ok := instr.(ssa.CallInstruction)
				if !ok {
					continue
				}
				for _, to := range order[i].calls[call] {
					if seen[to] {
						continue
					}
					seen[to] = true
					if to.mods != nil && to != in {
						in.mods.UnionWith(to.mods)
						continue
					}
					order = append(order, to)
				}
			}
		}
	}
	return in.mods
}

// own adds the cells that the instructions of an instance write.
func (h *Heap) own(in *instance, to *cells) {
	for _, b := range in.fn.Blocks {
		for _, instr := range b.Instrs {
			for _, c := range h.writtenIn(in, instr) {
				to.Insert(c)
			}
		}
	}
}

// Calls lists the functions in view that a call may run.
func (h *Heap) Calls(call ssa.CallInstruction) []*ssa.Function {
	var out []*ssa.Function
	seen := map[*ssa.Function]bool{}
	for _, in := range h.byFunc[call.Parent()] {
		for _, to := range in.calls[call] {
			if !seen[to.fn] {
				seen[to.fn] = true
				out = append(out, to.fn)
			}
		}
	}
	return out
}

// Runs reports whether a call in view is known to run a function.
func (h *Heap) Runs(fn *ssa.Function) bool { return h.runs[fn] }

// MayReach reports whether a call may run a function, by way of others too.
func (h *Heap) MayReach(call ssa.CallInstruction, fn *ssa.Function) bool {
	seen := map[*instance]bool{}
	var work []*instance
	for _, in := range h.byFunc[call.Parent()] {
		work = append(work, in.calls[call]...)
	}
	for len(work) > 0 {
		in := work[len(work)-1]
		work = work[:len(work)-1]
		if in.fn == fn {
			return true
		}
		if seen[in] {
			continue
		}
		seen[in] = true
		for _, to := range in.calls {
			work = append(work, to...)
		}
	}
	return false
}

// Single reports whether the place is one object's, of which there is one each time
// that the function runs which makes it: what is stored there replaces what was.
func (p *Place) Single() bool {
	os := p.Objects()
	if len(os) == 0 || p.several || !once(os[0].Site) {
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
		l := p.h.layouts.of(o.typ)
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
func once(v ssa.Value) bool {
	if v == nil {
		return false
	}
	instr, ok := v.(ssa.Instruction)
	if !ok {
		_, global := v.(*ssa.Global)
		return global
	}
	return !inLoop(instr.Block())
}

func inLoop(b *ssa.BasicBlock) bool {
	seen := map[*ssa.BasicBlock]bool{}
	work := append([]*ssa.BasicBlock{}, b.Succs...)
	for len(work) > 0 {
		c := work[len(work)-1]
		work = work[:len(work)-1]
		if c == b {
			return true
		}
		if !seen[c] {
			seen[c] = true
			work = append(work, c.Succs...)
		}
	}
	return false
}

// Pos returns where an object is made.
func (o *Object) Pos() token.Pos {
	if o.Site == nil {
		return token.NoPos
	}
	return o.Site.Pos()
}
