package alias

import (
	"cmp"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
)

// FillsElements reports whether a call may set elements of the slice or map
// that it is given: a function of this package that stores there, or hands it
// on to one that does. What other packages do with a list of names or times
// that they are given is to read it.
func FillsElements(p *program.Program, call ssa.CallInstruction, arg ssa.Value) bool {
	return fillsElements(p, call, arg, 6)
}

func fillsElements(p *program.Program, call ssa.CallInstruction, arg ssa.Value, depth int) bool {
	common := call.Common()
	if b, ok := common.Value.(*ssa.Builtin); ok {
		return b.Name() == "copy" && common.Args[0] == arg || b.Name() == "clear"
	}
	t, ok := p.Target(common)
	if !ok || t.Fn == nil {
		return false
	}
	for i, a := range t.Args {
		if kind.Stripped(a) == arg && i < len(t.Fn.Params) && elementsSet(p, t.Fn.Params[i], depth) {
			return true
		}
	}
	return false
}

// elementsSet reports whether elements of a slice or map are set by way of v.
func elementsSet(p *program.Program, v ssa.Value, depth int) bool {
	refs := v.Referrers()
	if refs == nil || depth == 0 {
		return true
	}
	for _, r := range *refs {
		switch r := r.(type) {
		case *ssa.MapUpdate:
			if r.Map == v {
				return true
			}
		case *ssa.IndexAddr:
			for _, use := range *r.Referrers() {
				if s, ok := use.(*ssa.Store); ok && s.Addr == r {
					return true
				}
			}
		case *ssa.Slice, *ssa.ChangeType, *ssa.MakeInterface:
			if elementsSet(p, r.(ssa.Value), depth-1) {
				return true
			}
		case *ssa.Store:
			if r.Val == v && setThrough(p, r.Addr, depth-1) {
				return true
			}
		case ssa.CallInstruction:
			if fillsElements(p, r, v, depth-1) {
				return true
			}
		}
	}
	return false
}

// setThrough reports whether whoever loads a list from an address may set
// elements of it. Of a local variable, captured ones too, all loads are in view.
func setThrough(p *program.Program, addr ssa.Value, depth int) bool {
	var uses []ssa.Instruction
	switch addr := addr.(type) {
	case *ssa.Alloc:
		uses = *addr.Referrers()
	case *ssa.FreeVar:
		uses = *addr.Referrers()
	case *ssa.FieldAddr:
		return setThroughField(p, kind.FieldOf(addr), depth)
	default:
		return true
	}
	for _, r := range uses {
		switch r := r.(type) {
		case *ssa.Store:
			if r.Addr != addr {
				return true
			}
		case *ssa.UnOp:
			if elementsSet(p, r, depth) {
				return true
			}
		case *ssa.MakeClosure:
			for i, b := range r.Bindings {
				if b == addr && setThrough(p, r.Fn.(*ssa.Function).FreeVars[i], depth) {
					return true
				}
			}
		case *ssa.DebugRef:
		default:
			return true
		}
	}
	return false
}

// setThroughField reports the same of a field, of whatever struct.
func setThroughField(p *program.Program, f *types.Var, depth int) bool {
	if f == nil || p.Addressed[f] {
		return true
	}
	for _, load := range p.FieldLoads[f] {
		if elementsSet(p, load, depth) {
			return true
		}
	}
	return false
}

// UpdatesElsewhere reports whether elements of maps in a field are set outside
// of the function that stores a map there.
func UpdatesElsewhere(p *program.Program, s *ssa.Store) bool {
	fa, ok := s.Addr.(*ssa.FieldAddr)
	if !ok {
		return false
	}
	return slices.ContainsFunc(FieldUpdates(p, kind.FieldOf(fa)), func(up *ssa.MapUpdate) bool { return up.Parent() != s.Parent() })
}

// FieldUpdates lists the assignments to elements of maps in a field, in source order.
func FieldUpdates(p *program.Program, f *types.Var) (out []*ssa.MapUpdate) {
	for _, updates := range p.MapUpdates {
		for _, up := range updates {
			load, ok := up.Map.(*ssa.UnOp)
			if !ok {
				continue
			}
			if fa, ok := load.X.(*ssa.FieldAddr); ok && kind.FieldOf(fa) == f {
				out = append(out, up)
			}
		}
	}
	slices.SortFunc(out, func(a, b *ssa.MapUpdate) int { return cmp.Compare(a.Pos(), b.Pos()) })
	return out
}

// A Holder is a place that holds a value: a part of a variable or object.
type Holder struct {
	Root ssa.Value
	Path kind.PathTo
}

// maxHolders bounds the copies that are followed.
const maxHolders = 8

// Holders lists the places that hold what a store puts into one, by copies of
// the variable that it is a part of: a literal is made, then stored whole.
func Holders(p *program.Program, s *ssa.Store) []Holder {
	root, path := p.Address(s.Addr)
	out := []Holder{{root, path}}
	for i := 0; i < len(out) && len(out) < maxHolders; i++ {
		h := out[i]
		made, ok := h.Root.(*ssa.Alloc)
		if !ok {
			continue
		}
		for _, r := range *made.Referrers() {
			load, ok := r.(*ssa.UnOp)
			if !ok || load.X != made {
				continue
			}
			for _, use := range *load.Referrers() {
				if copied, ok := use.(*ssa.Store); ok && copied.Val == load {
					to, prefix := p.Address(copied.Addr)
					out = append(out, Holder{to, append(prefix[:len(prefix):len(prefix)], h.Path...)})
				}
			}
		}
	}
	return out
}
