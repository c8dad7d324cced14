package heap

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Writes lists the parameters of a function, receiver first, by way of which it writes
// to what its caller has: but for the fields of the struct itself that one points to,
// where that is no time.
func (h *Heap) Writes(fn *ssa.Function) (out []int) {
	in := h.instances[instanceKey{fn, nil}]
	if in == nil {
		return nil
	}
	var mods *cells
	for i, p := range fn.Params {
		if !points(p.Type()) {
			continue
		}
		if mods == nil {
			if mods = h.mods(in); mods.IsEmpty() {
				return nil
			}
		}
		reach := h.reach(in, p)
		if reach.Intersects(mods) {
			out = append(out, i)
		}
	}
	return out
}

// reach returns the cells that can be reached from a value, but for those of the struct
// that it points to.
func (h *Heap) reach(in *instance, v ssa.Value) *cells {
	var out cells
	seen := map[*Object]bool{}
	var work []int
	followed := map[int]bool{} // the nodes: many cells are of one
	follow := func(cell int) {
		if n := h.solver.of(cell); h.solver.points[n] != nil && !followed[n] {
			followed[n] = true
			work = append(work, h.solver.points[n].AppendTo(nil)...)
		}
	}
	of, at := h.space.pointed(v.Type())
	for _, cell := range h.reached(in, v) {
		if o := h.space.owner[cell]; o.boxed {
			work = append(work, cell) // what the interface holds
			continue
		}
		for _, c := range h.space.spread(cell, at, of) {
			if kind.StructName(v.Type()) == nil || kind.ClassOf(kind.Deref(v.Type())) == value.Time {
				out.Insert(c)
			}
			follow(c)
		}
	}
	for len(work) > 0 {
		o := h.space.owner[work[len(work)-1]]
		work = work[:len(work)-1]
		if seen[o] {
			continue
		}
		seen[o] = true
		for i := range o.size {
			out.Insert(o.start + i)
			follow(o.start + i)
		}
	}
	return &out
}

// Abroad is what code out of view writes.
type Abroad struct {
	Writes []int // the arguments, receiver first, by way of which it writes
	Sets   []Set // fields of what arguments point to, beside
}

// A Set is a field that is set of the struct to which an argument points.
type Set struct {
	Param int
	Field string // all, of [value.AnyField]; "" of what the argument points to itself
}

// field lists the cells of a field of a struct, of all for [value.AnyField]. The struct
// lies that many cells after one.
func (s *space) field(cell, at int, of types.Type, name string) (out []int) {
	if s.owner[cell].boxed {
		return nil
	}
	if name == "" {
		return s.spread(cell, at, of)
	}
	t, ok := of.Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	name, _, _ = strings.Cut(name, ".") // of what is set in a field, all
	for i := range t.NumFields() {
		if f := t.Field(i); f.Name() == name || name == value.AnyField {
			out = append(out, s.spread(cell, at+s.layouts.of(of).part(i), f.Type())...)
		}
	}
	return out
}

// writtenAbroad lists the cells that a call of code out of view writes.
func (h *Heap) writtenAbroad(in *instance, call ssa.CallInstruction) (out []int) {
	common := call.Common()
	args := common.Args
	var fn *types.Func
	if common.IsInvoke() {
		fn, args = common.Method, append([]ssa.Value{common.Value}, args...)
	} else if callee := common.StaticCallee(); callee != nil {
		fn = kind.Object(callee)
	}
	if fn == nil || h.abroad == nil {
		return nil
	}
	does := h.abroad(fn)
	for _, i := range does.Writes {
		if i < len(args) {
			out = append(out, h.reach(in, args[i]).AppendTo(nil)...)
		}
	}
	for _, set := range does.Sets {
		if set.Param >= len(args) {
			continue
		}
		of, at := h.space.pointed(args[set.Param].Type())
		for _, cell := range h.reached(in, args[set.Param]) {
			out = append(out, h.space.field(cell, at, of, set.Field)...)
		}
	}
	return out
}
