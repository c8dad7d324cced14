package eval

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/trace/kind"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/program"
	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// Readings of the clock that are taken once and kept: in a package variable
// that is assigned where its package is initialised or by a sync.Once, and
// nowhere else, or by a sync.OnceValue.

// kept returns what the stores to a package variable give it, with its
// readings of the clock marked where they are taken once.
func (p *Path) kept(stores []program.Store, v *value.Value) *value.Value {
	if len(stores) != 1 {
		return v // something may refresh it
	}
	if marked := value.TakenOnce(v); marked != v && p.p.RunsOnce(stores[0].At.Parent()) {
		return marked
	}
	return v
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
	r := p.invoked(&value.Value{Kind: value.Call, Name: Invoke, Args: []*value.Value{f}, Class: kind.ClassOf(v.Type())})
	if r.Is(Invoke) {
		return nil
	}
	return value.TakenOnce(r)
}
