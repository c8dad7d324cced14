package result

import (
	"go/ast"
	"go/types"

	"github.com/ttlvet/ttlvet/internal/trace/event"
	"github.com/ttlvet/ttlvet/internal/trace/policy"
	"github.com/ttlvet/ttlvet/internal/trace/summary"

	"github.com/ttlvet/ttlvet/internal/value"
)

// ListedElsewhere reports whether a policy that this package gives a family
// stands in a list of policies which an imported package has: it is judged
// there.
func (r *Result) ListedElsewhere(u policy.PolicyUse) bool {
	if u.Policy == nil || u.Expr != nil && written(u.Expr.Expr) || r.tracer == nil {
		return false
	}
	for _, l := range r.tracer.listedElsewhere() {
		if l.Family != u.Family || l.Policy.String() != u.Policy.String() {
			continue
		}
		table, known := u.Table.IsStr()
		if listed, _ := l.Table.IsStr(); !known || table == listed {
			return true
		}
	}
	return false
}

// written reports whether an expression makes a policy where it stands.
func written(e ast.Expr) bool {
	switch e.(type) {
	case *ast.CallExpr, *ast.CompositeLit:
		return true
	}
	return false
}

// listedBy returns the policies that an exported variable lists, or that an exported
// function returns; nil where there is no such list.
func (p *finder) listedBy(obj types.Object) *value.Value {
	if obj == nil || !obj.Exported() {
		return nil
	}
	switch obj := obj.(type) {
	case *types.Var:
		var fact summary.Summary
		if event.ListsPolicies(obj.Type()) && p.prog.Pass.ImportObjectFact(obj, &fact) && len(fact.Holds) == 1 {
			return event.ListOf(obj.Type(), fact.Holds[0])
		}
	case *types.Func:
		if !event.ReturnsPolicies(obj) {
			return nil
		}
		if one := p.prog.Imported(obj).One(); one != nil {
			return event.ListOf(obj.Signature().Results().At(0).Type(), one)
		}
	}
	return nil
}

// listedElsewhere lists the policies that imported packages list in variables and
// functions.
func (p *finder) listedElsewhere() (out []policy.PolicyUse) {
	if p.listed != nil || p.prog.Pass.ImportObjectFact == nil {
		return p.listed
	}
	defer func() { p.listed = append([]policy.PolicyUse{}, out...) }()
	for _, pkg := range p.prog.Pass.Pkg.Imports() {
		for _, name := range pkg.Scope().Names() {
			list := p.listedBy(pkg.Scope().Lookup(name))
			if list == nil {
				continue
			}
			out = append(out, policy.ListedPolicies(&event.Event{Op: event.Listed}, summary.Case{Args: []*value.Value{list}})...)
		}
	}
	return out
}
