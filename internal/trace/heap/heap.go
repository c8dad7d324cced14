package heap

import (
	"go/types"

	"golang.org/x/tools/container/intsets"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
)

type cells = intsets.Sparse

// A Heap answers for one package.
type Heap struct {
	solver *solver

	space *space

	revealed   map[int]bool
	instances  map[instanceKey]*instance
	byFunc     map[*ssa.Function][]*instance
	clones     map[*ssa.Function]bool
	roots      map[*ssa.Function]bool // functions that code out of view may call
	called     map[foreignCall]bool
	runs       map[*ssa.Function]bool // that calls in view are known to run
	foreigners []foreignCall          // the keys of called, in order
	funcs      []*ssa.Function
	abroad     func(*types.Func) Abroad
	known      func(*types.Func) bool
	pending    []*instance // to be generated
	later      []func()

	fitting typeutil.Map    // by type: see [fitting]
	kept    map[[2]int]bool // what is kept by which cell, and given to which node

	writers map[int][]int // by cell: the instructions that may write there, as indexes of writes
	writes  []ssa.Instruction
}

// New solves the heap of a package. funcs are its functions and literals.
// abroad says what a function of another package writes of its arguments, known
// whether facts say what it does.
func New(pkg *ssa.Package, funcs []*ssa.Function, abroad func(*types.Func) Abroad, known func(*types.Func) bool) *Heap {
	s := newSolver()
	h := &Heap{
		solver: s, space: newSpace(pkg, s), funcs: funcs, abroad: abroad, known: known, revealed: map[int]bool{},
		instances: map[instanceKey]*instance{}, byFunc: map[*ssa.Function][]*instance{}, clones: map[*ssa.Function]bool{},
		roots: map[*ssa.Function]bool{}, called: map[foreignCall]bool{}, kept: map[[2]int]bool{}, runs: map[*ssa.Function]bool{},
	}
	h.space.nodes(1) // no node has the number 0
	called := map[*ssa.Function]bool{}
	for _, fn := range funcs {
		for instr := range kind.Instructions(fn) {
			if call, ok := instr.(ssa.CallInstruction); ok {
				if callee := call.Common().StaticCallee(); callee != nil {
					called[kind.Origin(callee)] = true
				}
			}
		}
	}
	for _, fn := range funcs {
		switch {
		case len(fn.Blocks) == 0 || !rooted(fn, called):
		case fn.Parent() == nil:
			h.roots[fn] = true
			h.instance(fn, nil)
		case len(fn.FreeVars) == 0 && !called[fn]:
			h.instance(fn, nil) // no instruction makes a literal that captures nothing
		}
	}
	h.run()
	h.leak()
	h.solver.finish()
	h.kept, h.fitting = nil, typeutil.Map{}
	h.index(funcs)
	return h
}

// run generates and solves until nothing is left to do.
func (h *Heap) run() {
	for len(h.pending) > 0 || len(h.solver.work) > 0 {
		for len(h.pending) > 0 {
			in := h.pending[0]
			h.pending = h.pending[1:]
			h.generate(in)
		}
		for _, f := range h.later {
			f()
		}
		h.later = nil
		h.solver.solve()
	}
}

// index records which instructions write where.
func (h *Heap) index(funcs []*ssa.Function) {
	h.writers = map[int][]int{}
	for _, fn := range funcs {
		for instr := range kind.Instructions(fn) {
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

// writtenIn lists the cells that an instruction of an instance writes.
func (h *Heap) writtenIn(in *instance, instr ssa.Instruction) (out []int) {
	if call, ok := instr.(ssa.CallInstruction); ok && h.called[foreignCall{in, call}] {
		return h.writtenAbroad(in, call)
	}
	addr, t, at := h.space.written(instr)
	if addr == nil {
		return nil
	}
	for _, cell := range h.reached(in, addr) {
		out = append(out, h.space.spread(cell, at, t)...)
	}
	return out
}

// written returns the address to which an instruction writes a value of type t, that
// many cells after it; nil where it does not.
func (s *space) written(instr ssa.Instruction) (addr ssa.Value, t types.Type, at int) {
	switch i := instr.(type) {
	case *ssa.Store:
		return i.Addr, i.Val.Type(), 0
	case *ssa.MapUpdate:
		return i.Map, i.Value.Type(), s.layouts.of(kind.Core(i.Map.Type()).(*types.Map).Key()).size()
	case *ssa.Call:
		if kind.Builtin(i, "copy", "clear", "append") == nil {
			return nil, nil, 0
		}
		// What is appended comes behind what is there.
		list, ok := kind.Core(i.Call.Args[0].Type()).(*types.Slice)
		if ok && (kind.Builtin(i, "append") == nil || shortened(i.Call.Args[0])) {
			return i.Call.Args[0], list.Elem(), s.elements(list)
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
		n = h.space.global(v)
	case *ssa.Function:
		n = h.space.function(v)
	default:
		known, ok := in.values[v]
		if !ok {
			return nil
		}
		n = known
	}
	set := h.solver.points[h.solver.of(n)]
	if set == nil {
		return nil
	}
	return set.AppendTo(nil)
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
		for instr := range kind.Instructions(order[i].fn) {
			for _, c := range h.writtenIn(order[i], instr) {
				in.mods.Insert(c)
			}
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
	return in.mods
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
