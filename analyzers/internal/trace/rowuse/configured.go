package rowuse

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/trace/eval"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/summary"
	"github.com/ttlvet/ttlvet/analyzers/internal/value"
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
	for _, call := range u.p.Callers[fn] {
		if u.p.IsTest(call.Pos()) && !u.p.IsTest(fn.Pos()) {
			continue
		}
		for _, t := range u.p.Targets(call) {
			if t.Fn != fn {
				continue
			}
			for _, n := range u.names(true, func(q *eval.Path) *value.Value {
				return q.Force(q.Settle(family.Subst(q.Arguments(t, call).Binder(fn)), call), 4)
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
