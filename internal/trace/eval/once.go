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

// takenOnce returns what the function of a package variable returns that runs once,
// with the readings of the clock in it marked, if the variable has no other.
func (p *Path) takenOnce(g *ssa.Global, r *value.Value) *value.Value {
	if len(p.p.Prog.Stores[g]) != 1 || len(p.p.Prog.AddressTaken[g]) > 0 || !p.p.Prog.RunsOnce(p.p.Prog.Stores[g][0].At.Parent()) {
		return r
	}
	return value.TakenOnce(r)
}

// onceCalled resolves the call of what sync.OnceValue returned; nil where the
// function is none.
func (p *Path) onceCalled(v *ssa.Call) *value.Value {
	if v.Call.IsInvoke() || len(v.Call.Args) > 0 {
		return nil
	}
	f := p.Way.Eval(v.Call.Value, v).Base()
	if !f.Is(Once) {
		return nil
	}
	r := p.Settler.OnceResult(f)
	if r == nil {
		return nil
	}
	if load, ok := v.Call.Value.(*ssa.UnOp); ok {
		if g, ok := load.X.(*ssa.Global); ok {
			return p.Reader.Via(g.Pkg.Pkg.Path()+"."+g.Name(), p.takenOnce(g, r), v.Type())
		}
		if fa, ok := load.X.(*ssa.FieldAddr); ok {
			return p.Reader.Via(kind.FieldKey(kind.FieldOf(fa), fa.X.Type()), r, v.Type())
		}
	}
	return r
}

// OnceGlobal resolves a package variable, for other packages: of a function
// that sync.OnceValue returned, what it returns.
func (p *Path) OnceGlobal(g *ssa.Global) *value.Value {
	v := p.Reader.Global(g, nil)
	if once := v.Base(); once.Is(Once) {
		if r := p.Settler.OnceResult(once); r != nil {
			return &value.Value{Kind: value.Call, Name: Once, Args: []*value.Value{p.Settler.Force(p.takenOnce(g, r), 4)}}
		}
		return value.UnknownFor("what a function returns that runs once")
	}
	return v
}
