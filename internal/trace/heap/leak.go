package heap

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
)

// leak makes the parameters of functions that code out of view may call point to what
// such code may have: the objects of their types that functions in view return to it,
// store in what comes from it or in package variables, or give its functions. A method
// that sets a field may be called on whatever a constructor returns.
func (h *Heap) leak() {
	for {
		byType := map[*types.TypeName][]*Object{}
		for _, o := range h.leaked() {
			if name := kind.StructName(types.NewPointer(o.typ)); name != nil && o.Site != nil {
				byType[name] = append(byType[name], o)
			}
		}
		for _, in := range h.fromAbove() {
			for _, p := range in.fn.Params {
				if !kind.IsPointer(p.Type()) {
					continue
				}
				for _, o := range byType[kind.StructName(p.Type())] {
					h.solver.add(h.value(in, p), o.start)
				}
			}
		}
		if len(h.solver.work) == 0 {
			return
		}
		h.run()
	}
}

// fromAbove lists the instances whose parameters come from out of view.
func (h *Heap) fromAbove() (out []*instance) {
	for _, fn := range h.funcs {
		if in := h.instances[instanceKey{fn, nil}]; in != nil && h.roots[fn] {
			out = append(out, in)
		}
	}
	return out
}

// leaked lists the objects that code out of view may have.
func (h *Heap) leaked() (out []*Object) {
	seen := map[*Object]bool{}
	asked := map[int]bool{} // the nodes: many cells are of one
	from := func(n int) {
		if n = h.solver.of(n); h.solver.points[n] != nil && !asked[n] {
			asked[n] = true
			for _, cell := range h.solver.points[n].AppendTo(nil) {
				if o := h.space.owner[cell]; !seen[o] {
					seen[o] = true
					out = append(out, o)
				}
			}
		}
	}
	for _, in := range h.fromAbove() {
		for i := range h.space.layouts.of(in.fn.Signature.Results()).size() {
			from(in.results + i)
		}
	}
	for _, c := range h.foreigners {
		for _, a := range c.call.Common().Args {
			if _, constant := a.(*ssa.Const); constant {
				continue
			}
			for i := range h.space.layouts.of(a.Type()).size() {
				from(h.value(c.in, a) + i)
			}
		}
	}
	for n, o := range h.space.owner {
		if o == nil {
			continue
		}
		if _, global := o.Site.(*ssa.Global); global || o.Outside {
			from(n)
		}
	}
	for i := 0; i < len(out); i++ {
		for n := range out[i].size {
			from(out[i].start + n)
		}
	}
	return out
}
