package heap

import (
	"go/ast"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
)

// maxCloned bounds the instructions of the functions that have nodes for each call
// of them: helpers. It is a bound of cost: beyond it the answer is coarser, not wrong.
const (
	maxCloned = 80
	maxClones = 40 // of one helper; later calls share one
)

// An instance is a function with nodes for its values: one for all calls, or, of a
// helper, one for each call of it, so that what one call is given does not come out
// of another. A literal has one for each instance of the function around it.
type instance struct {
	fn      *ssa.Function
	of      any // the call, or the instance in which a literal is made; nil
	values  map[ssa.Value]int
	results int // the node of what it returns
	calls   map[ssa.CallInstruction][]*instance

	mods *cells // what it writes, with what it calls
}

type instanceKey struct {
	fn *ssa.Function
	of any
}

// instance returns the function's instance for a context, and generates it.
func (h *Heap) instance(fn *ssa.Function, of any) *instance {
	key := instanceKey{fn, of}
	inst := h.instances[key]
	if inst == nil {
		inst = &instance{fn: fn, of: of, values: map[ssa.Value]int{}, calls: map[ssa.CallInstruction][]*instance{}}
		h.instances[key] = inst
		h.byFunc[fn] = append(h.byFunc[fn], inst)
		h.pending = append(h.pending, inst)
	}
	return inst
}

// has reports whether a function has code that is followed: one of the package, or a
// wrapper of the compiler's around one.
func (s *space) has(fn *ssa.Function) bool {
	if fn == nil || len(fn.Blocks) == 0 {
		return false
	}
	outer := kind.Outermost(fn)
	return outer.Pkg == s.pkg || outer.Pkg == nil || outer.Synthetic != ""
}

// cloned reports whether a function has an instance for each call: it is small, and
// does not call itself by way of others.
func (h *Heap) cloned(fn *ssa.Function) bool {
	if c, ok := h.clones[fn]; ok {
		return c
	}
	n := 0
	for _, b := range fn.Blocks {
		n += len(b.Instrs)
	}
	h.clones[fn] = false
	c := n <= maxCloned && len(fn.FreeVars) == 0 && !h.recursive(fn, fn, map[*ssa.Function]bool{})
	h.clones[fn] = c
	return c
}

// recursive reports whether a function calls target by way of static calls.
func (h *Heap) recursive(fn, target *ssa.Function, seen map[*ssa.Function]bool) bool {
	for instr := range kind.Instructions(fn) {
		call, ok := instr.(ssa.CallInstruction)
		if !ok {
			continue
		}
		callee := call.Common().StaticCallee()
		if callee == nil {
			continue
		}
		if callee = kind.Origin(callee); callee == target {
			return true
		}
		if h.space.has(callee) && !seen[callee] {
			seen[callee] = true
			if h.recursive(callee, target, seen) {
				return true
			}
		}
	}
	return false
}

// rooted reports whether a function may be called from outside of what is in view,
// or is not called in view at all.
func rooted(fn *ssa.Function, called map[*ssa.Function]bool) bool {
	obj := kind.Object(fn)
	return !called[fn] || obj == nil || ast.IsExported(obj.Name()) || fn.Signature.Recv() != nil
}

// value returns the first node of a value in an instance.
func (h *Heap) value(in *instance, v ssa.Value) int {
	switch v := v.(type) {
	case *ssa.Global:
		return h.space.global(v)
	case *ssa.Function:
		return h.space.function(v)
	}
	n, ok := in.values[v]
	if !ok {
		n = h.space.nodes(h.space.layouts.of(v.Type()).size())
		in.values[v] = n
	}
	return n
}
