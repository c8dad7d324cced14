package ttlread

import (
	"go/ast"
	"slices"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/check"
	"github.com/ttlvet/ttlvet/internal/filter"
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/trace"
	"github.com/ttlvet/ttlvet/internal/value"
)

// A filter has parts that are written at the read, or at the call of a helper that
// reads; what else the helper does with them is in the tree. A fix puts another filter
// in the place of such a part, and is offered if the tree is right for the families then.

// place returns the expression of a part of the filter, where a fix may put another
// filter in its place; nil where it may not.
func (r *read) place(t *filter.Tree) ast.Expr {
	v := filter.ValueOf(t)
	if v == nil || v.Expr == nil || r.raw || r.e.ViaField || r.e.OnlyTable {
		return nil
	}
	if btapi.Type(r.p.TypesInfo.TypeOf(v.Expr)) != "bigtable.Filter" || !r.changeable(v.Expr) || r.e.Depth > 0 && r.shared(v.Expr) {
		return nil
	}
	return v.Expr
}

// shared reports whether the function that a call runs gives a filter to something else
// than reads of the same table, of which the same is used.
func (r *read) shared(expr ast.Expr) bool {
	for _, e := range r.p.EventsAt(r.e.Node) {
		switch e.Op {
		case btapi.ReadRow, btapi.ReadRows, btapi.NewCondMutation:
		default:
			continue // which takes no filter
		}
		for _, c := range e.Cases {
			if e != r.e && c.Has(func(v *value.Value) bool { return v.Expr == expr }) && !r.sameRows(e, c) {
				return true
			}
		}
	}
	return false
}

// sameRows reports whether another event at the call is about the same table, and no
// more of its families.
func (r *read) sameRows(e *trace.Event, c trace.Case) bool {
	if e.Op != r.e.Op && (r.predicate || e.Op == btapi.NewCondMutation) {
		return false
	}
	var tables []*value.Value
	uses := trace.Uses{All: true}
	if r.predicate {
		tables = r.p.Trace.Tables(c.Args[len(c.Args)-1])
	} else {
		tables, uses = []*value.Value{r.p.Trace.TableRead(e, c)}, e.RowUses()
	}
	other := &read{p: r.p, refs: append(check.Refs(tables), r.refs...)}
	if !other.oneTable() || uses.All && !r.uses.All {
		return false
	}
	return !slices.ContainsFunc(uses.Families, func(name string) bool { return !r.used(name) })
}

// oneTable reports whether all tables that the event may be about are one, as far as the
// registry tells them apart.
func (r *read) oneTable() bool {
	var one *registry.Table
	for _, ref := range r.refs {
		t, known := r.p.Model.Table(ref)
		if known && !ref.Fake && one != nil && t != one || known && t == nil && !ref.Fake {
			return false
		}
		if t != nil {
			one = t
		}
	}
	return true
}

// with returns a filter with another in the place of a part, and of whatever else is
// made by the same expression.
func with(t, part, other *filter.Tree) *filter.Tree {
	if t == nil {
		return nil
	}
	if v, w := filter.ValueOf(t), filter.ValueOf(part); t == part || v != nil && w != nil && v.Expr == w.Expr && v.Expr != nil {
		return other
	}
	c := filter.Tree{Op: t.Op, Pattern: t.Pattern, Lo: t.Lo, Hi: t.Hi, Start: t.Start, End: t.End, N: t.N, NKnown: t.NKnown, From: t.From}
	for _, s := range t.Sub {
		c.Sub = append(c.Sub, with(s, part, other))
	}
	return &c
}

// right reports whether a family is kept as it should.
func right(res filter.Result) bool {
	return res.Verdict == filter.Bounded && res.Problem == filter.None
}

// mends reports whether a filter is right for families, and as good as that of the
// read for all others.
func (r *read) mends(t *filter.Tree, js []judged) bool {
	for _, j := range js {
		if !right(filter.Judge(t, j.target.Family)) {
			return false
		}
	}
	for _, other := range r.families(js[0].target.Ref) {
		if slices.ContainsFunc(js, func(j judged) bool { return j.target.Family == other.Family }) {
			continue
		}
		before, after := filter.Judge(r.tree, other.Family), filter.Judge(t, other.Family)
		same := before.Verdict == after.Verdict && before.Problem == after.Problem
		if !same && (!right(after) || before.Verdict == filter.Excluded) {
			return false
		}
	}
	return true
}

// beside returns the families of a table whose cells pass a part of the filter, beside
// those of which something is wrong with it: those that are declared, and the names of
// those that are used and not declared.
func (r *read) beside(part *filter.Tree, js []judged, table *registry.Table) (declared []*registry.Family, others []string) {
	passes := func(f *registry.Family) bool {
		return r.used(f.Name) && filter.Judge(part, f).Verdict != filter.Excluded && filter.Judge(r.tree, f).Verdict != filter.Excluded
	}
	known := map[string]bool{}
	for _, j := range js {
		known[j.target.Family.Name] = true
	}
	if table != nil {
		for _, f := range table.Families {
			if !known[f.Name] && passes(f) {
				declared = append(declared, f)
			}
			known[f.Name] = true
		}
	}
	for _, name := range r.uses.Families {
		if !r.predicate && !known[name] && passes(&registry.Family{Name: name, Strategy: registry.Real}) {
			others = append(others, name)
		}
	}
	return declared, others
}

// branchOf returns the smallest branch of an interleave or a condition that has a part of
// the filter in it, all of it where none has: what is not for its cells is for others.
func branchOf(t, part *filter.Tree) *filter.Tree {
	branch := t
	for t != nil && t != part {
		var next *filter.Tree
		for _, s := range t.Sub {
			if contains(s, part) {
				next = s
				break
			}
		}
		if next != nil && (t.Op == filter.Interleave || t.Op == filter.Condition) {
			branch = next
		}
		t = next
	}
	return branch
}
