package program

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// CapturedBy lists the parameters of the functions around a literal that it
// captures.
func (p *Program) CapturedBy(mc *ssa.MakeClosure) (out []*ssa.Parameter) {
	if mc == nil {
		return nil
	}
	for _, b := range mc.Bindings {
		for outer, ok := b.(*ssa.FreeVar); ok && p.Binding(outer) != nil; outer, ok = b.(*ssa.FreeVar) {
			b = p.Binding(outer)
		}
		if param := p.onlyParam(b); param != nil && !slices.Contains(out, param) {
			out = append(out, param)
		}
	}
	return out
}

// onlyParam returns the parameter that a captured variable holds and nothing else,
// or nil.
func (p *Program) onlyParam(b ssa.Value) *ssa.Parameter {
	if param, ok := b.(*ssa.Parameter); ok {
		return param
	}
	for _, s := range p.Stores[b] {
		if param, ok := s.Val.(*ssa.Parameter); ok && p.holds(b, param) {
			return param
		}
	}
	return nil
}
