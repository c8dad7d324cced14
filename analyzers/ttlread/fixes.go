package ttlread

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/analyzers/internal/check"
	"github.com/ttlvet/ttlvet/analyzers/internal/filter"
	"github.com/ttlvet/ttlvet/analyzers/internal/fix"
	"github.com/ttlvet/ttlvet/analyzers/internal/registry"
	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// live writes the filter that keeps out the dead cells of a family.
func live(b *fix.Builder, f *registry.Family, at token.Pos) string {
	switch f.Strategy {
	case registry.OneSecond:
		return b.Ref(fix.Bigtable, "TimestampRangeFilter", at) + "(" + b.Ref(fix.Time, "Now", at) + "(), " + b.Ref(fix.Time, "Time", at) + "{})"
	case registry.Default:
		return b.Ref(fix.Bigtable, "TimestampRangeFilter", at) + "(" + b.Ref(fix.Time, "Now", at) + "().Add(-" + b.Duration(f.TTL, at) + "), " + b.Ref(fix.Time, "Time", at) + "{})"
	}
	return b.Ref(fix.Bigtable, "LatestNFilter", at) + "(" + strconv.Itoa(max(f.Versions, 1)) + ")"
}

// perFamily writes a filter that treats each family of a table by its
// strategy.
func perFamily(b *fix.Builder, ts []check.Target, at token.Pos) string {
	if len(ts) == 1 {
		return live(b, ts[0].Family, at)
	}
	s := b.Ref(fix.Bigtable, "InterleaveFilters", at) + "("
	for i, t := range ts {
		if i > 0 {
			s += ", "
		}
		family := b.Ref(fix.Bigtable, "FamilyFilter", at) + "(" + strconv.Quote(t.Family.Name) + ")"
		if !t.Family.Strategy.NeedsFilter() {
			s += family
			continue
		}
		s += b.Ref(fix.Bigtable, "ChainFilters", at) + "(" + family + ", " + live(b, t.Family, at) + ")"
	}
	return s + ")"
}

// liveFor writes the filter for a read: bare, where the table has one family;
// restricted to the family that is used; or one for each family.
func (r *read) liveFor(b *fix.Builder, js []judged, at token.Pos) string {
	t := js[0].target
	if t.Table == nil || len(t.Table.Families) == 1 {
		if len(js) > 1 {
			return ""
		}
		return live(b, t.Family, at)
	}
	used := r.families(t.Ref)
	if len(used) == 1 && !r.uses.All {
		return b.Ref(fix.Bigtable, "ChainFilters", at) + "(" + b.Ref(fix.Bigtable, "FamilyFilter", at) + "(" + strconv.Quote(t.Family.Name) + "), " + live(b, t.Family, at) + ")"
	}
	var all []check.Target
	for _, f := range t.Table.Families {
		if f.Strategy.Expires() && f.MaxAge == 0 && f.TTL == 0 {
			return ""
		}
		all = append(all, check.Target{Family: f, Table: t.Table})
	}
	return perFamily(b, all, at)
}

// fix is the change that mends a read, where it is certain.
func (r *read) fix(category string, js []judged) *analysis.SuggestedFix {
	if r.raw || r.e.Depth > 0 || r.e.Call == nil {
		return nil
	}
	b := fix.New(r.p.Pass, r.e.Node)
	if b == nil {
		return nil
	}
	call := r.e.Call
	if r.tree == nil {
		if category != "missing-filter" || call.Ellipsis.IsValid() {
			return nil
		}
		text := r.liveFor(b, js, call.Rparen)
		if text == "" {
			return nil
		}
		return b.Insert(call.Args[len(call.Args)-1].End(), ", "+b.Ref(fix.Bigtable, "RowFilter", call.Rparen)+"("+text+")").
			Done("Keep out " + dead([]check.Target{js[0].target}))
	}
	if len(js) != 1 {
		return nil
	}
	f := js[0].target.Family
	node := js[0].result.Node
	switch category {
	case "limit-before-filter":
		return r.reorderFix()
	case "missing-filter", "version-limit":
		if js[0].result.Problem == filter.TooMany {
			return r.replaceFix(node, f)
		}
		if js[0].result.Problem == filter.LateLimit || r.tree.Has(filter.TimeRange) {
			return nil
		}
		targets := []check.Target{js[0].target}
		if t := js[0].target.Table; r.bareIn(f, t) {
			targets = targetsOf(t)
		}
		return r.chainFix(r.filterExpr(), targets)
	case "expired-only", "wrong-bound", "upper-bound":
		if r.bareIn(f, js[0].target.Table) {
			return nil
		}
		return r.replaceFix(node, f)
	}
	return nil
}

// bareIn reports whether what a family needs, added to the filter, would drop
// cells of other families.
func (r *read) bareIn(f *registry.Family, t *registry.Table) bool {
	if t == nil {
		return false
	}
	for _, g := range t.Families {
		used := r.uses.All || len(r.uses.Families) == 0 || slices.Contains(r.uses.Families, g.Name)
		if g.Name != f.Name && used && filter.Judge(r.tree, g).Verdict != filter.Excluded {
			return true
		}
	}
	return false
}

// targetsOf returns all families of a table.
func targetsOf(t *registry.Table) []check.Target {
	var all []check.Target
	for _, f := range t.Families {
		all = append(all, check.Target{Family: f, Table: t})
	}
	return all
}

// chainFix chains the live filter before the filter at expr.
func (r *read) chainFix(expr ast.Expr, targets []check.Target) *analysis.SuggestedFix {
	if expr == nil || !r.at(expr) {
		return nil
	}
	b := fix.New(r.p.Pass, expr)
	if b == nil {
		return nil
	}
	if id, ok := expr.(*ast.Ident); ok && id.Name == "nil" {
		return b.Replace(expr, perFamily(b, targets, expr.Pos())).Done("Keep out dead cells")
	}
	return b.Insert(expr.Pos(), b.Ref(fix.Bigtable, "ChainFilters", expr.Pos())+"("+perFamily(b, targets, expr.Pos())+", ").
		Insert(expr.End(), ")").Done("Keep out dead cells first")
}

// replaceFix puts the filter that a family needs in the place of a wrong one.
func (r *read) replaceFix(node *filter.Tree, f *registry.Family) *analysis.SuggestedFix {
	if node == nil || node.Value == nil || !r.at(node.Value.Expr) {
		return nil
	}
	b := fix.New(r.p.Pass, node.Value.Expr)
	if b == nil {
		return nil
	}
	text := live(b, f, node.Value.Expr.Pos())
	return b.Replace(node.Value.Expr, text).Done("Filter by the family's strategy")
}

// interleaveFix replaces a bare time range by a filter for each family.
func (r *read) interleaveFix() *analysis.SuggestedFix {
	if r.tree == nil || r.tree.Op != filter.TimeRange || r.e.Depth > 0 || !r.uses.All {
		return nil
	}
	table, _ := r.p.Model.Table(r.refs[0])
	expr := r.filterExpr()
	if table == nil || expr == nil || !r.at(expr) || len(r.refs) != 1 {
		return nil
	}
	b := fix.New(r.p.Pass, expr)
	if b == nil {
		return nil
	}
	return b.Replace(expr, perFamily(b, targetsOf(table), expr.Pos())).Done("Filter each family by its strategy")
}

// mergeFix chains the filters of several RowFilter options in one.
func (r *read) mergeFix() *analysis.SuggestedFix {
	if r.e.Call == nil || r.e.Depth > 0 || r.e.Call.Ellipsis.IsValid() {
		return nil
	}
	var filters []*ast.CallExpr
	for _, a := range r.e.Call.Args {
		if call, ok := ast.Unparen(a).(*ast.CallExpr); ok && len(call.Args) == 1 && r.isRowFilter(a) {
			filters = append(filters, call)
		}
	}
	if len(filters) < 2 || len(filters) != r.filters {
		return nil
	}
	b := fix.New(r.p.Pass, r.e.Node)
	if b == nil {
		return nil
	}
	last := filters[len(filters)-1]
	text := b.Ref(fix.Bigtable, "ChainFilters", last.Pos()) + "("
	for i, f := range filters {
		if i > 0 {
			text += ", "
		}
		text += b.Source(f.Args[0])
	}
	b.Replace(filters[0].Args[0], text+")")
	for _, f := range filters[1:] {
		for i, a := range r.e.Call.Args {
			if ast.Unparen(a) == f {
				b.Delete(r.e.Call.Args[i-1].End(), a.End())
			}
		}
	}
	return b.Done("Chain the filters")
}

func (r *read) isRowFilter(a ast.Expr) bool {
	found := false
	if list := r.c.Args[len(r.c.Args)-1].Base(); list.Kind == value.List {
		for _, o := range list.Args {
			if o.Base().Is("bigtable.RowFilter") && o.Base().Expr == ast.Unparen(a) {
				found = true
			}
		}
	}
	return found
}
