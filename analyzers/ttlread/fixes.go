package ttlread

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/check"
	"github.com/ttlvet/ttlvet/internal/filter"
	"github.com/ttlvet/ttlvet/internal/fix"
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/trace"
	"github.com/ttlvet/ttlvet/internal/value"
)

// liveFor writes the filter for a read that has none: for one family, where no other is
// used; else one that treats each by its strategy, the declared ones and those that are
// used and not declared.
func (r *read) liveFor(b *fix.Builder, js []judged, at token.Pos) (piece, bool) {
	t := js[0].target
	declared, others := r.beside(&filter.Tree{Op: filter.PassAll}, js, t.Table)
	if t.Table == nil && len(js)+len(others) > 1 {
		return piece{}, false // what is live of one family is not of the others
	}
	if len(js) == 1 && len(declared)+len(others) == 0 {
		if t.Table == nil || len(t.Table.Families) == 1 {
			return live(b, t.Family, at), true
		}
		return joined(b, filter.Chain, at, ofFamilies(b, []string{t.Family.Name}, at), live(b, t.Family, at)), true
	}
	return r.forAll(b, js, declared, others, at, nil)
}

// forAll writes the filter that treats each of the families by its strategy: in the
// order of the registry, those with which something is wrong and those beside them.
func (r *read) forAll(b *fix.Builder, js []judged, declared []*registry.Family, others []string, at token.Pos, own func(*registry.Family) (piece, bool)) (piece, bool) {
	table := js[0].target.Table
	if table == nil {
		return piece{}, len(js) == 0
	}
	var families []*registry.Family
	for _, f := range table.Families {
		if slices.Contains(declared, f) || slices.ContainsFunc(js, func(j judged) bool { return j.target.Family == f }) {
			if f.Strategy.Expires() && f.MaxAge == 0 && f.TTL == 0 {
				return piece{}, false
			}
			families = append(families, f)
		}
	}
	return perFamily(b, families, others, at, own), true
}

// fix is the change that mends a read, where it is certain.
func (r *read) fix(category string, js []judged) *analysis.SuggestedFix {
	if r.raw || r.e.Call == nil || !r.oneTable() {
		return nil
	}
	if r.tree == nil {
		return r.addFix(js)
	}
	f := js[0].target.Family
	node := js[0].result.Node
	switch category {
	case "limit-before-filter":
		return r.reorderFix()
	case "missing-filter", "version-limit", "unfiltered-branch":
		if js[0].result.Problem == filter.TooMany && len(js) == 1 {
			return r.limitFix(node, f, js[0].target.Table)
		}
		if category != "unfiltered-branch" && r.tree.Has(filter.TimeRange) {
			return nil // which of the two is meant is not known
		}
		if f := r.liveOption(r.filterExpr(), true, "Keep out dead cells first"); f != nil {
			return f
		}
		return r.boundFix(js)
	case "stale-bound":
		if r.place(node) == nil {
			if f := r.rereadOption(); f != nil {
				return f
			}
			return r.rereadFix(js)
		}
		return fix.New(r.p.Pass, filter.ValueOf(node).Expr).Reread(filter.ValueOf(node).Expr)
	case "expired-only", "wrong-bound", "upper-bound":
		if len(js) != 1 {
			return nil
		}
		return r.rangeFix(js)
	}
	return nil
}

// addFix adds a filter to a read that has none.
func (r *read) addFix(js []judged) *analysis.SuggestedFix {
	call := r.e.Call
	if call.Ellipsis.IsValid() || !r.takesOptions() {
		return nil
	}
	b := fix.New(r.p.Pass, r.e.Node)
	if b == nil {
		return nil
	}
	title := "Keep out " + dead([]check.Target{js[0].target})
	if v := r.tableVar(); v != nil && b.Names(v, call.Rparen) {
		return b.Append(call, b.Object(v, call.Rparen)+".Live()").Done(title)
	}
	p, ok := r.liveFor(b, js, call.Rparen)
	if !ok || !r.mends(p.tree, js) {
		return nil
	}
	return b.Append(call, b.Ref(fix.Bigtable, "RowFilter", call.Rparen)+"("+p.text+")").Done(title)
}

// takesOptions reports whether an option that is added to the call's arguments is one of
// the read: the only one that is a filter.
func (r *read) takesOptions() bool {
	if r.e.Depth == 0 {
		return true
	}
	sig, ok := types.Unalias(r.p.TypesInfo.TypeOf(r.e.Call.Fun)).(*types.Signature)
	if !ok || !sig.Variadic() || r.e.ViaField || r.e.OnlyTable {
		return false
	}
	last := sig.Params().At(sig.Params().Len() - 1)
	list, ok := last.Type().(*types.Slice)
	if !ok || btapi.Type(list.Elem()) != "bigtable.ReadOption" {
		return false
	}
	param := int64(sig.Params().Len() - 1)
	if sel, ok := ast.Unparen(r.e.Call.Fun).(*ast.SelectorExpr); ok && r.p.TypesInfo.Selections[sel] != nil && r.p.TypesInfo.Selections[sel].Kind() == types.MethodVal {
		param++
	}
	for _, e := range r.p.EventsAt(r.e.Node) {
		for _, c := range e.Reached {
			if !c.Has(func(v *value.Value) bool { return v.Kind == value.Param && v.Num == param }) {
				if e == r.e {
					return false
				}
				continue
			}
			if e.Op != btapi.ReadRow && e.Op != btapi.ReadRows || !passesOn(c.Args[len(c.Args)-1], param) {
				return false
			}
			if e != r.e && slices.ContainsFunc(e.Cases, func(c trace.Case) bool { return !r.sameRows(e, c) }) {
				return false
			}
		}
	}
	return true
}

// passesOn reports whether the options of a read are those that a parameter gives, and
// no filter beside them.
func passesOn(opts *value.Value, param int64) bool {
	list := opts.Base()
	if list.Kind == value.Param {
		return list.Num == param
	}
	if list.Kind != value.List {
		return false
	}
	found := false
	for _, o := range list.Args {
		switch b := o.Base(); {
		case o.Is(value.Spread) && o.Args[0].Base().Kind == value.Param && o.Args[0].Base().Num == param:
			found = true
		case btapi.InertOption(b.Name), b.Kind == value.Nil:
		default:
			return false
		}
	}
	return found
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
func (r *read) bareIn(f *registry.Family, t *registry.Table) bool { return r.bare(r.tree, f, t) }

// bare is bareIn for a branch of the filter.
func (r *read) bare(branch *filter.Tree, f *registry.Family, t *registry.Table) bool {
	if t == nil {
		return false
	}
	for _, g := range t.Families {
		if g.Name != f.Name && r.used(g.Name) && filter.Judge(branch, g).Verdict != filter.Excluded {
			return true
		}
	}
	return false
}

// boundFix chains what the families need before those parts of the filter that lack it.
func (r *read) boundFix(js []judged) *analysis.SuggestedFix {
	parts := r.lacking(r.tree, js)
	if len(parts) == 0 {
		return nil
	}
	b := fix.New(r.p.Pass, r.place(parts[0]))
	if b == nil {
		return nil
	}
	tree, declared := r.tree, false
	message := ""
	for _, part := range parts {
		expr := r.place(part)
		if !b.Has(expr) {
			return nil
		}
		p, ok := r.before(b, part, js, expr.Pos())
		if !ok {
			return nil
		}
		declared = declared || p.tree == nil
		tree = with(tree, part, &filter.Tree{Op: filter.Chain, Sub: []*filter.Tree{p.tree, part}})
		message = r.chainFirst(b, expr, p.text)
	}
	if !declared && !r.mends(tree, js) {
		return nil
	}
	return b.Done(message)
}

// before writes what is to stand before a part of the filter, without a tree where it is
// the live filter of a declaration, which is right.
func (r *read) before(b *fix.Builder, part *filter.Tree, js []judged, at token.Pos) (piece, bool) {
	var bad []judged
	for _, j := range js {
		if res := filter.Judge(part, j.target.Family); res.Verdict != filter.Excluded {
			bad = append(bad, j)
		}
	}
	if text := r.liveFilter(b, at); text != "" && part == r.tree {
		return piece{text: text}, true
	}
	declared, others := r.beside(part, bad, js[0].target.Table)
	if len(bad) == 1 && len(declared)+len(others) == 0 {
		return live(b, bad[0].target.Family, at), true
	}
	return r.forAll(b, bad, declared, others, at, r.boundedBy(part))
}

// boundedBy is for perFamily: what a part of the filter does well already is left to it.
func (r *read) boundedBy(part *filter.Tree) func(*registry.Family) (piece, bool) {
	return func(f *registry.Family) (piece, bool) {
		res := filter.Judge(part, f)
		return piece{}, res.Verdict == filter.Excluded || right(res)
	}
}

// lacking returns the smallest written parts of a filter that are to be bounded so that
// it is right for families: of an interleave or a condition the branches that lack it.
// It returns none where some of them are not written.
func (r *read) lacking(t *filter.Tree, js []judged) []*filter.Tree {
	if t.Op == filter.Interleave || t.Op == filter.Condition {
		branches := t.Sub
		if t.Op == filter.Condition {
			branches = branches[1:]
		}
		var parts []*filter.Tree
		for _, branch := range branches {
			if branch == nil || !slices.ContainsFunc(js, func(j judged) bool { return lacks(branch, j.target.Family) }) {
				continue
			}
			list := r.lacking(branch, js)
			if len(list) == 0 {
				parts = nil
				break
			}
			parts = append(parts, list...)
		}
		if len(parts) > 0 {
			return parts
		}
	}
	if r.place(t) != nil {
		return []*filter.Tree{t}
	}
	if t.Op == filter.Chain {
		for _, s := range t.Sub {
			if parts := r.lacking(s, js); len(parts) > 0 {
				return parts
			}
		}
	}
	return nil
}

// lacks reports whether a filter passes dead cells of a family.
func lacks(t *filter.Tree, f *registry.Family) bool {
	res := filter.Judge(t, f)
	return res.Verdict != filter.Excluded && !right(res)
}

// chainFirst chains a filter before that of an expression; a chain that is there gets it
// as its first link, nil and what passes all cells give way to it.
func (r *read) chainFirst(b *fix.Builder, expr ast.Expr, first string) (message string) {
	at := expr.Pos()
	if id, ok := expr.(*ast.Ident); ok && id.Name == "nil" {
		b.Replace(expr, first)
		return "Keep out dead cells"
	}
	message = "Keep out dead cells first"
	if chain := r.chain(expr); chain != nil {
		next := chain.Args[0].Pos()
		if r.p.Fset.Position(next).Line != r.p.Fset.Position(chain.Lparen).Line {
			next = b.Above(next, chain.Lparen)
			b.Insert(next, first+",\n"+b.Indent(next))
		} else {
			b.Insert(next, first+", ")
		}
		return message
	}
	b.Insert(at, b.Ref(fix.Bigtable, "ChainFilters", at)+"("+first+", ").Insert(expr.End(), ")")
	return message
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
	text := live(b, f, filter.ValueOf(node).Expr.Pos()).text
	return b.Replace(filter.ValueOf(node).Expr, text).Done("Filter by the family's strategy")
}

// interleaveFix replaces a time range for all families by a filter for each.
func (r *read) interleaveFix(hidden []check.Target) *analysis.SuggestedFix {
	table := hidden[0].Table
	if r.tree == nil || table == nil || !r.oneTable() || !expires(table) {
		return nil
	}
	expr := r.place(r.tree)
	if expr == nil {
		return nil
	}
	b := fix.New(r.p.Pass, expr)
	if b == nil {
		return nil
	}
	if b.Plain(expr) && r.e.Depth == 0 {
		if f := r.liveOption(expr, false, "Filter each family by its strategy"); f != nil {
			return f
		}
	}
	declared, others := r.beside(&filter.Tree{Op: filter.PassAll}, nil, table)
	// The range stays for the families that it is right for, with its clock.
	_, injected := b.Injected(expr.Pos())
	kept, dropped, clock := false, false, !b.Plain(expr) && len(b.Times(expr)) > 0 && !injected
	p := perFamily(b, declared, others, expr.Pos(), func(f *registry.Family) (piece, bool) {
		if !f.Strategy.Expires() || !right(filter.Judge(r.tree, f)) {
			dropped = dropped || clock && f.Strategy.Expires()
			return piece{}, false
		}
		kept = true
		return piece{b.Source(expr), r.tree}, true
	})
	if !kept && !b.Plain(expr) || dropped {
		return nil
	}
	for _, f := range declared {
		if f.Strategy.NeedsFilter() && !right(filter.Judge(p.tree, f)) {
			return nil
		}
	}
	return b.Replace(expr, p.text).Done("Filter each family by its strategy")
}
