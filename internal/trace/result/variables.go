package result

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// A Variable is a package variable that holds a family or a table which is
// declared with the runtime package, and nothing else ever.
type Variable struct {
	Object *types.Var
	Value  *value.Value
}

// variables lists the package variables in view that hold declarations: those
// of the package, and the exported ones of the packages that it imports.
func (p *finder) variables() []Variable {
	var out []Variable
	for _, pkg := range append([]*types.Package{p.prog.Pass.Pkg}, p.prog.Pass.Pkg.Imports()...) {
		if btapi.IsClient(pkg.Path()) {
			continue
		}
		for _, name := range pkg.Scope().Names() {
			v, ok := pkg.Scope().Lookup(name).(*types.Var)
			if !ok || pkg != p.prog.Pass.Pkg && !v.Exported() || !btapi.Declares(v.Type()) || p.prog.IsTest(v.Pos()) {
				continue
			}
			if held := p.onlyValue(v); held != nil {
				out = append(out, Variable{v, held})
			}
		}
	}
	return out
}

// onlyValue returns what a package variable holds, nil where that is not known
// or more than one thing.
func (p *finder) onlyValue(v *types.Var) *value.Value {
	if v.Pkg() != p.prog.Pass.Pkg {
		var fact summary.Summary
		if p.prog.Pass.ImportObjectFact == nil || !p.prog.Pass.ImportObjectFact(v, &fact) || len(fact.Holds) != 1 {
			return nil
		}
		return fact.Holds[0]
	}
	g, ok := p.prog.Pkg.Members[v.Name()].(*ssa.Global)
	if !ok {
		return nil
	}
	var held []*value.Value
	complete := p.eval.Explore(true, 2, func(q *eval.Path) []*value.Value {
		return []*value.Value{q.Settler.Force(q.Reader.Global(g, nil), 4)}
	}, func(_ *eval.Path, vs []*value.Value) { held = append(held, vs[0]) })
	if !complete || len(held) != 1 {
		return nil
	}
	return held[0]
}
