package eval

import (
	"go/ast"
	"slices"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// HasFields reports whether a case depends on a field that is not resolved.
func HasFields(cases []summary.Case) bool {
	isField := func(v *value.Value) bool { return v.Kind == value.Field }
	return slices.ContainsFunc(cases, func(c summary.Case) bool {
		return slices.ContainsFunc(c.Args, func(a *value.Value) bool { return a.Has(isField) }) ||
			slices.ContainsFunc(c.Guards, func(g summary.Guard) bool { return g.Cond.Has(isField) })
	})
}

// UniquelyClosed resolves the fields in a value by what the package stores in
// them, where that is one known value: importers cannot see it. What they may set
// themselves is theirs to know.
func (p *Evaluator) UniquelyClosed(v *value.Value) *value.Value {
	if !v.Has(func(w *value.Value) bool { return w.Kind == value.Field }) || v.Has(settable) {
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

// settable reports whether a value is what an exported field of an object holds that
// another package has.
func settable(v *value.Value) bool {
	if v.Kind != value.Field {
		return false
	}
	for ; v.Kind == value.Field; v = v.Args[0].Base() {
		if !ast.IsExported(value.FieldName(v.Name)) {
			return false
		}
	}
	return v.Kind == value.Param
}

// makes reports whether a value holds a mutation: each object has its own, and
// its callers know which object it is.
func makes(v *value.Value) bool {
	return v.Has(func(w *value.Value) bool { return kind.Root(w) != "" })
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
