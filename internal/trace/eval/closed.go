package eval

import (
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// HasFields reports whether a case depends on a field that is not resolved.
func HasFields(cases []summary.Case) bool {
	found := false
	for _, c := range cases {
		for _, a := range c.Args {
			a.Walk(func(v *value.Value) { found = found || v.Kind == value.Field })
		}
		for _, g := range c.Guards {
			g.Cond.Walk(func(v *value.Value) { found = found || v.Kind == value.Field })
		}
	}
	return found
}

// UniquelyClosed resolves the fields in a value by what the package stores in
// them, where that is one known value: importers cannot see it.
func (p *Evaluator) UniquelyClosed(v *value.Value) *value.Value {
	if !HasFields([]summary.Case{{Args: []*value.Value{v}}}) {
		return v
	}
	var found *value.Value
	unique := p.Explore(true, 8, func(q *Path) []*value.Value {
		return []*value.Value{q.Settler.Force(q.Settler.Settle(v, nil), 4)}
	}, func(_ *Path, vs []*value.Value) {
		switch {
		case found == nil:
			found = vs[0]
		case found.String() != vs[0].String():
			found = v
		}
	})
	if !unique || found == nil || !usable(found) || makes(found) {
		return v
	}
	return found
}

// makes reports whether a value holds a mutation: each object has its own, and
// its callers know which object it is.
func makes(v *value.Value) bool {
	found := false
	v.Walk(func(w *value.Value) { found = found || kind.Root(w) != "" })
	return found
}

// usable reports whether a value is known as far as a rule needs it: a table
// needs its name only.
func usable(v *value.Value) bool {
	if name := kind.OpenedName(v); name != nil {
		_, ok := name.IsStr()
		return ok
	}
	return v.Known()
}
