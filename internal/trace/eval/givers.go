package eval

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/value"
)

// maxGivers bounds how far it is looked for what gives a clock.
const maxGivers = 8

// given lists what the package, its tests aside, gives for a value: what it
// stores in the field or variable, and what it passes for the parameter.
func (p *Clocks) given(v ssa.Value, depth int, seen map[ssa.Value]bool) (out []ssa.Value) {
	if depth == 0 || seen[v] {
		return nil
	}
	seen[v] = true
	all := func(vs ...ssa.Value) {
		for _, w := range vs {
			out = append(out, p.given(w, depth-1, seen)...)
		}
	}
	switch v := v.(type) {
	case *ssa.UnOp:
		if v.Op != token.MUL {
			return nil
		}
		if fa, ok := v.X.(*ssa.FieldAddr); ok {
			all(p.prog.StoredIn(kind.FieldOf(fa), kind.StructName(fa.X.Type()))...)
			return out
		}
		if fv, ok := v.X.(*ssa.FreeVar); ok && p.prog.Binding(fv) != nil {
			all(p.valuesAt(p.prog.Binding(fv))...)
			return out
		}
		if g, ok := v.X.(*ssa.Global); ok && g.Pkg != p.prog.Pkg {
			return []ssa.Value{v}
		}
		all(p.valuesAt(v.X)...)
	case *ssa.Field:
		all(p.prog.StoredIn(kind.StructField(v.X.Type(), v.Field), kind.StructName(v.X.Type()))...)
	case *ssa.FreeVar:
		if b := p.prog.Binding(v); b != nil {
			all(b)
		}
	case *ssa.Parameter:
		all(p.prog.Given(v)...)
	case *ssa.Phi:
		all(v.Edges...)
	case *ssa.ChangeType:
		all(v.X)
	case *ssa.ChangeInterface:
		all(v.X)
	case *ssa.MakeInterface:
		all(v.X)
	case *ssa.TypeAssert:
		all(v.X)
	case *ssa.Extract:
		if asserted, ok := v.Tuple.(*ssa.TypeAssert); ok {
			all(asserted.X)
		}
	case *ssa.Call:
		from := append(p.carried(v), p.returnedBy(v)...)
		if len(from) == 0 {
			return []ssa.Value{v}
		}
		all(from...)
	default:
		return []ssa.Value{v}
	}
	return out
}

// valuesAt lists what is stored at an address.
func (p *Clocks) valuesAt(addr ssa.Value) (out []ssa.Value) {
	for _, s := range p.prog.Stores[addr] {
		if len(s.Path) == 0 && !p.prog.IsTest(s.At.Pos()) {
			out = append(out, s.Val)
		}
	}
	return out
}

// adapted lists what the functions return that the package makes a type of which
// fn is a method, where that is a function type.
func (p *Clocks) adapted(fn *ssa.Function) (out []*value.Value) {
	recv := fn.Signature.Recv()
	if recv == nil {
		return nil
	}
	sig, ok := recv.Type().Underlying().(*types.Signature)
	if !ok || sig.Results().Len() != 1 {
		return nil
	}
	q := p.eval.path(false)
	for _, user := range p.prog.Funcs {
		for _, b := range user.Blocks {
			for _, instr := range b.Instrs {
				c, ok := instr.(*ssa.ChangeType)
				if !ok || !types.Identical(c.Type(), recv.Type()) || p.prog.IsTest(user.Pos()) || p.prog.IsTest(c.X.Pos()) {
					continue
				}
				call := &value.Value{Kind: value.Call, Name: value.Invoke, Args: []*value.Value{q.Way.Eval(c.X, c)}, Class: kind.ClassOf(sig.Results().At(0).Type())}
				out = append(out, q.Settler.Called(call))
			}
		}
	}
	return out
}
