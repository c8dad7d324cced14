package program

import (
	"go/token"
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
	param, ok := b.(*ssa.Parameter)
	if !ok {
		param, _ = p.Holds(b).(*ssa.Parameter)
	}
	return param
}

// Holds returns what a variable holds that is set once, as a whole; nil of others.
func (p *Program) Holds(root ssa.Value) ssa.Value {
	stores := p.Stores[root]
	if len(stores) != 1 || len(stores[0].Path) > 0 {
		return nil
	}
	return stores[0].Val
}

// ParamOf returns the parameter that a value is, also where a function literal
// has captured it.
func (p *Program) ParamOf(v ssa.Value) *ssa.Parameter {
	for range 8 {
		switch w := v.(type) {
		case *ssa.Parameter:
			return w
		case *ssa.FreeVar:
			v = p.Binding(w)
		case *ssa.UnOp:
			if w.Op != token.MUL {
				return nil
			}
			root, path := p.Address(w.X)
			if len(path) > 0 {
				return nil
			}
			v = p.Holds(root)
		default:
			return nil
		}
	}
	return nil
}

// LiteralIn returns where a function makes the literal in which an instruction
// stands, however deep; nil where it stands in none.
func (p *Program) LiteralIn(fn *ssa.Function, at ssa.Instruction) *ssa.MakeClosure {
	literal := at.Parent()
	for literal != nil && literal.Parent() != fn {
		literal = literal.Parent()
	}
	if literal == nil || p.Closures[literal] == nil || p.Closures[literal].Parent() != fn {
		return nil
	}
	return p.Closures[literal]
}

// RunsWithin reports whether an instruction runs while a function literal does: it stands
// in it, or in literals in it that are called where they are made.
func (p *Program) RunsWithin(at ssa.Instruction, literal *ssa.Function) bool {
	for in := at.Parent(); in != literal; in = in.Parent() {
		if in == nil || p.Closures[in] == nil {
			return false
		}
		for _, r := range *p.Closures[in].Referrers() {
			if _, debug := r.(*ssa.DebugRef); debug {
				continue
			}
			if call, ok := r.(*ssa.Call); !ok || call.Call.Value != ssa.Value(p.Closures[in]) {
				return false
			}
		}
	}
	return true
}
