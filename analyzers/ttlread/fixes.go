package ttlread

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/internal/check"
	"github.com/ttlvet/ttlvet/internal/filter"
	"github.com/ttlvet/ttlvet/internal/fix"
	"github.com/ttlvet/ttlvet/internal/registry"
)

// live writes the filter that keeps out the dead cells of a family.
func live(b *fix.Builder, f *registry.Family, at token.Pos) string {
	switch f.Strategy {
	case registry.OneSecond:
		return b.Ref(fix.Bigtable, "TimestampRangeFilter", at) + "(" + b.Ref(fix.Time, "Now", at) + "(), " + b.Ref(fix.Time, "Time", at) + "{})"
	case registry.Default:
		return b.Ref(fix.Bigtable, "TimestampRangeFilter", at) + "(" + b.Ref(fix.Time, "Now", at) + "().Add(-" + b.Duration(f.TTL, at) + "), " + b.Ref(fix.Time, "Time", at) + "{})"
	case registry.Real:
		if f.MaxAge > 0 {
			return b.Ref(fix.Bigtable, "TimestampRangeFilter", at) + "(" + b.Ref(fix.Time, "Now", at) + "().Add(-" + b.Duration(f.MaxAge, at) + "), " + b.Ref(fix.Time, "Time", at) + "{})"
		}
	}
	return b.Ref(fix.Bigtable, "LatestNFilter", at) + "(" + strconv.Itoa(max(f.Versions, 1)) + ")"
}

// perFamily writes a filter that treats each family of a table by its
// strategy: by what kept gives for it, if anything, else by what it needs.
func perFamily(b *fix.Builder, ts []check.Target, at token.Pos, kept func(*registry.Family) (string, bool)) string {
	if len(ts) == 1 {
		return live(b, ts[0].Family, at)
	}
	s := b.Ref(fix.Bigtable, "InterleaveFilters", at) + "("
	for i, t := range ts {
		if i > 0 {
			s += ", "
		}
		family := b.Ref(fix.Bigtable, "FamilyFilter", at) + "(" + strconv.Quote(t.Family.Name) + ")"
		own, ok := "", false
		if kept != nil {
			own, ok = kept(t.Family)
		}
		if !ok && t.Family.Strategy.NeedsFilter() {
			own = live(b, t.Family, at)
		}
		if own == "" {
			s += family
			continue
		}
		s += b.Ref(fix.Bigtable, "ChainFilters", at) + "(" + family + ", " + own + ")"
	}
	return s + ")"
}

// liveFor writes the filter for a read: bare, where the table has one family;
// restricted to the family that is used; or one for each family.
func (r *read) liveFor(b *fix.Builder, js []judged, at token.Pos) string {
	t := js[0].target
	if t.Table == nil || len(t.Table.Families) == 1 {
		others := slices.ContainsFunc(r.uses.Families, func(name string) bool { return name != t.Family.Name })
		if len(js) > 1 || others {
			return "" // what is live of one family is not of the others
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
	return perFamily(b, all, at, nil)
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
		if v := r.tableVar(); v != nil && b.Names(v, call.Rparen) {
			return b.Append(call, b.Object(v, call.Rparen)+".Live()").Done("Keep out " + dead([]check.Target{js[0].target}))
		}
		text := r.liveFor(b, js, call.Rparen)
		if text == "" {
			return nil
		}
		return b.Append(call, b.Ref(fix.Bigtable, "RowFilter", call.Rparen)+"("+text+")").Done("Keep out " + dead([]check.Target{js[0].target}))
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
			return r.limitFix(node, f, js[0].target.Table)
		}
		if js[0].result.Problem == filter.LateLimit || r.tree.Has(filter.TimeRange) {
			return nil
		}
		if f := r.liveOption(r.filterExpr(), true, "Keep out dead cells first"); f != nil {
			return f
		}
		targets := []check.Target{js[0].target}
		if t := js[0].target.Table; r.bareIn(f, t) {
			targets = targetsOf(t)
		}
		return r.chainFix(r.filterExpr(), targets)
	case "stale-bound":
		if filter.ValueOf(node) == nil || !r.changeable(filter.ValueOf(node).Expr) {
			return r.rereadOption()
		}
		return b.Reread(filter.ValueOf(node).Expr)
	case "expired-only", "wrong-bound", "upper-bound":
		if r.bareIn(f, js[0].target.Table) {
			return nil
		}
		return r.rangeFix(node, f)
	}
	return nil
}

// limitFix changes the number of versions of a limit that is there.
func (r *read) limitFix(node *filter.Tree, f *registry.Family, t *registry.Table) *analysis.SuggestedFix {
	if filter.ValueOf(node) == nil || !r.changeable(filter.ValueOf(node).Expr) || r.bareIn(f, t) {
		return nil
	}
	call, ok := ast.Unparen(filter.ValueOf(node).Expr).(*ast.CallExpr)
	b := fix.New(r.p.Pass, filter.ValueOf(node).Expr)
	if !ok || len(call.Args) != 1 || b == nil {
		return nil
	}
	return b.Replace(call.Args[0], strconv.Itoa(max(f.Versions, 1))).Done("Ask for the versions that are kept")
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

// chainFix chains the live filter before the filter at expr; a chain that is
// there gets it as its first link.
func (r *read) chainFix(expr ast.Expr, targets []check.Target) *analysis.SuggestedFix {
	if expr == nil || !r.changeable(expr) {
		return nil
	}
	b := fix.New(r.p.Pass, expr)
	if b == nil {
		return nil
	}
	at := expr.Pos()
	first := r.liveFilter(b, at)
	if first == "" {
		first = perFamily(b, targets, at, r.bounded)
	}
	if id, ok := expr.(*ast.Ident); ok && id.Name == "nil" {
		return b.Replace(expr, first).Done("Keep out dead cells")
	}
	const message = "Keep out dead cells first"
	if chain := r.chain(expr); chain != nil {
		next := chain.Args[0].Pos()
		if r.p.Fset.Position(next).Line != r.p.Fset.Position(chain.Lparen).Line {
			next = b.Above(next, chain.Lparen)
			return b.Insert(next, first+",\n"+b.Indent(next)).Done(message)
		}
		return b.Insert(next, first+", ").Done(message)
	}
	return b.Insert(at, b.Ref(fix.Bigtable, "ChainFilters", at)+"("+first+", ").
		Insert(expr.End(), ")").Done(message)
}

// replaceFix puts the filter that a family needs in the place of a wrong one.
func (r *read) replaceFix(node *filter.Tree, f *registry.Family) *analysis.SuggestedFix {
	if filter.ValueOf(node) == nil || !r.changeable(filter.ValueOf(node).Expr) {
		return nil
	}
	b := fix.New(r.p.Pass, filter.ValueOf(node).Expr)
	if b == nil {
		return nil
	}
	text := live(b, f, filter.ValueOf(node).Expr.Pos())
	return b.Replace(filter.ValueOf(node).Expr, text).Done("Filter by the family's strategy")
}

// interleaveFix replaces a bare time range by a filter for each family.
func (r *read) interleaveFix() *analysis.SuggestedFix {
	if r.tree == nil || r.tree.Op != filter.TimeRange || r.e.Depth > 0 || !r.uses.All {
		return nil
	}
	table, _ := r.p.Model.Table(r.refs[0])
	expr := r.filterExpr()
	if table == nil || expr == nil || !r.changeable(expr) || len(r.refs) != 1 || !expires(table) {
		return nil
	}
	b := fix.New(r.p.Pass, expr)
	if b == nil {
		return nil
	}
	if b.Plain(expr) {
		if f := r.liveOption(expr, false, "Filter each family by its strategy"); f != nil {
			return f
		}
	}
	// The range stays for the families that it is right for, with its clock.
	kept := b.Plain(expr)
	text := perFamily(b, targetsOf(table), expr.Pos(), func(f *registry.Family) (string, bool) {
		res := filter.Judge(r.tree, f)
		if !f.Strategy.Expires() || res.Verdict != filter.Bounded || res.Problem != filter.None {
			return "", false
		}
		kept = true
		return b.Source(expr), true
	})
	if !kept {
		return nil
	}
	return b.Replace(expr, text).Done("Filter each family by its strategy")
}
