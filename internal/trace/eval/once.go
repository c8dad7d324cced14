package eval

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"

	"github.com/ttlvet/ttlvet/internal/value"
)

// What is made once and kept: by sync.OnceValue, and by what a sync.Once runs.

// isOnce reports whether a function is one of those that return a [settle.Once].
func isOnce(fn *types.Func) bool {
	if fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != "sync" {
		return false
	}
	return fn.Name() == "OnceValue" || fn.Name() == "OnceValues"
}

// onceValue resolves the call of a package variable that holds what
// sync.OnceValue returns; nil where it does not.
func (p *Path) onceValue(v *ssa.Call) *value.Value {
	load, ok := v.Call.Value.(*ssa.UnOp)
	if !ok {
		return nil
	}
	g, ok := load.X.(*ssa.Global)
	if !ok || len(p.p.Stores[g]) != 1 || p.p.AddressTaken[g] || !p.p.RunsOnce(p.p.Stores[g][0].At.Parent()) {
		return nil
	}
	made, ok := p.p.Stores[g][0].Val.(*ssa.Call)
	if !ok {
		return nil
	}
	if callee := kind.CalledFunc(&made.Call); callee == nil || kind.FuncKey(callee) != "sync.OnceValue" {
		return nil
	}
	f := p.Eval(made.Call.Args[0], made)
	r := p.Called(&value.Value{Kind: value.Call, Name: value.Invoke, Args: []*value.Value{f}, Class: kind.ClassOf(v.Type())})
	if r.Is(value.Invoke) {
		return nil
	}
	return value.TakenOnce(r)
}

// onceCalled resolves the call of what sync.OnceValue returned; nil where the
// function is none.
func (p *Path) onceCalled(v *ssa.Call) *value.Value {
	if v.Call.IsInvoke() || len(v.Call.Args) > 0 {
		return nil
	}
	f := p.Eval(v.Call.Value, v).Base()
	if !f.Is(Once) {
		return nil
	}
	r := p.OnceResult(f)
	if r == nil {
		return nil
	}
	if load, ok := v.Call.Value.(*ssa.UnOp); ok {
		if g, ok := load.X.(*ssa.Global); ok {
			return p.Via(g.Pkg.Pkg.Path()+"."+g.Name(), r, v.Type())
		}
		if fa, ok := load.X.(*ssa.FieldAddr); ok {
			return p.Via(kind.FieldKey(kind.FieldOf(fa), fa.X.Type()), r, v.Type())
		}
	}
	return r
}

// OnceGlobal resolves a package variable, for other packages: of a function
// that sync.OnceValue returned, what it returns.
func (p *Path) OnceGlobal(g *ssa.Global) *value.Value {
	v := p.Global(g, nil)
	if once := v.Base(); once.Is(Once) {
		if r := p.OnceResult(once); r != nil {
			return &value.Value{Kind: value.Call, Name: Once, Args: []*value.Value{p.Force(r, 4)}}
		}
		return value.UnknownFor("what a function returns that runs once")
	}
	return v
}
