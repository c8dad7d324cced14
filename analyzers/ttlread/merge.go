package ttlread

import (
	"go/ast"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/analyzers/internal/fix"
	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

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
	first := filters[0].Args[0]
	end := ")"
	if chain := r.chain(first); chain != nil {
		first, end = chain.Args[len(chain.Args)-1], ""
	} else {
		b.Insert(first.Pos(), b.Ref(fix.Bigtable, "ChainFilters", first.Pos())+"(")
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
