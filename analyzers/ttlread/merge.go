package ttlread

import (
	"go/ast"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/internal/check"
	"github.com/ttlvet/ttlvet/internal/filter"
	"github.com/ttlvet/ttlvet/internal/fix"
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/value"
)

// mergeFix chains the filters of several RowFilter options in one, and before
// them what the families need beside them.
func (r *read) mergeFix(families []check.Target) *analysis.SuggestedFix {
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
	live, ok := r.besideFilters(b, families)
	if !ok {
		return nil
	}
	first := filters[0].Args[0]
	end := ")"
	if chain := r.chain(first); chain != nil {
		first, end = chain.Args[len(chain.Args)-1], ""
		if live != "" {
			b.Insert(chain.Args[0].Pos(), live)
		}
	} else {
		b.Insert(first.Pos(), b.Ref(fix.Bigtable, "ChainFilters", first.Pos())+"("+live)
	}
	var more string
	for _, f := range filters[1:] {
		list := f.Args
		if chain := r.chain(f.Args[0]); chain != nil {
			list = chain.Args
		}
		for _, a := range list {
			more += ", " + b.Source(a)
		}
		for i, a := range r.e.Call.Args {
			if ast.Unparen(a) == f {
				b.Delete(r.e.Call.Args[i-1].End(), a.End())
			}
		}
	}
	return b.Insert(first.End(), more+end).Done("Chain the filters")
}

// besideFilters writes what the families need before all filters of the read, with
// a comma, and reports false where what is wrong with these is not that.
func (r *read) besideFilters(b *fix.Builder, families []check.Target) (string, bool) {
	merged := *r
	merged.tree = &filter.Tree{Op: filter.Chain}
	for _, o := range r.given {
		t := filter.Of(o.Base().Args[0])
		if t == nil {
			return "", false // a nil filter
		}
		merged.tree.Sub = append(merged.tree.Sub, t)
	}
	var bad []judged
	for _, t := range families {
		res := filter.Judge(merged.tree, t.Family)
		switch {
		case !t.Family.Strategy.NeedsFilter(), res.Verdict == filter.Excluded, res.Verdict == filter.Unknown, res.Verdict == filter.Bounded && res.Problem == filter.None:
		case res.Problem == filter.NoBound, res.Problem == filter.NoLimit:
			bad = append(bad, judged{t, res})
		default:
			return "", false
		}
	}
	if merged.narrows() {
		return "", false // which cells are wanted is not known
	}
	if len(bad) == 0 {
		return "", true
	}
	if bad[0].target.Table == nil || merged.tree.Has(filter.TimeRange) {
		return "", false
	}
	p, ok := merged.before(b, merged.tree, bad, r.e.Call.Pos())
	return p.text + ", ", ok
}

// narrows reports whether a filter has a time range for all families, where others than
// those that expire are used.
func (r *read) narrows() bool {
	table, _ := r.p.Model.Table(r.refs[0])
	if table == nil || !r.tree.Has(filter.TimeRange) || r.tree.NamesFamily() {
		return false
	}
	return slices.ContainsFunc(table.Families, func(f *registry.Family) bool { return !f.Strategy.Expires() && r.used(f.Name) })
}

// chain returns the call of ChainFilters that an expression is, or nil.
func (r *read) chain(expr ast.Expr) *ast.CallExpr {
	call, ok := ast.Unparen(expr).(*ast.CallExpr)
	if !ok || len(call.Args) == 0 || call.Ellipsis.IsValid() {
		return nil
	}
	var name *ast.Ident
	switch fn := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		name = fn
	case *ast.SelectorExpr:
		name = fn.Sel
	}
	if name == nil {
		return nil
	}
	if obj := r.p.TypesInfo.Uses[name]; obj == nil || obj.Pkg() == nil || obj.Pkg().Path() != fix.Bigtable || obj.Name() != "ChainFilters" {
		return nil
	}
	return call
}

func (r *read) isRowFilter(a ast.Expr) bool {
	return slices.ContainsFunc(r.given, func(o *value.Value) bool { return o.Base().Expr == ast.Unparen(a) })
}
