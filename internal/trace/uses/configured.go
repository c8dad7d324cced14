package uses

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// inView records the families that the callers of a constructor in view name by
// its parameter, or by a field of that: of a configuration. It reports whether
// the family is such a one; what callers out of view name is judged there.
func (u *useFinder) inView(family *value.Value, depth int) bool {
	v := family
	for v.Kind == value.Field {
		v = v.Args[0].Base()
	}
	fn, ok := v.Site.(*ssa.Function)
	if v.Kind != value.Param || !ok || depth == 0 {
		return false
	}
	for _, call := range u.p.prog.Callers[fn] {
		if u.p.prog.IsTest(call.Pos()) && !u.p.prog.IsTest(fn.Pos()) {
			continue
		}
		for _, t := range u.p.eval.Targets(call) {
			if t.Fn != fn {
				continue
			}
			for _, n := range u.names(true, func(q *eval.Path) *value.Value {
				return q.Settler.Force(q.Settler.Settle(family.Subst(q.Reader.Arguments(t, call).Binder(fn)), call), 4)
			}) {
				if s, ok := n.IsStr(); ok {
					u.uses.InView = summary.Insert(u.uses.InView, s)
				} else if !u.inView(n, depth-1) {
					return false
				}
			}
		}
	}
	return true
}

// ByMaker returns the uses of rows, in terms of a method, in terms of the
// constructor that is given the families which the method takes from a field of its
// receiver. Families that come from elsewhere stay what they are.
func (p *Rows) ByMaker(maker *ssa.Function, uses summary.Uses) summary.Uses {
	given := uses.Given
	uses.Given = nil
	u := p.newUseFinder(maker)
	for _, g := range given {
		found := false
		for _, n := range u.names(true, func(q *eval.Path) *value.Value { return q.Settler.Settle(g, nil) }) {
			switch {
			case n.Kind == value.Param && n.Site == any(maker) && !n.IsType():
				uses.FamilyParams = slices.Clone(uses.FamilyParams)
				uses.AddFamilyParam(int(n.Num))
				found = true
			case u.supplied(n):
				uses.AddGiven(n)
				found = true
			}
		}
		if !found {
			uses.AddGiven(g)
		}
	}
	return uses
}
