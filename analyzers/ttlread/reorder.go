package ttlread

import (
	"go/ast"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/internal/filter"
	"github.com/ttlvet/ttlvet/internal/fix"
)

// reorderFix moves the limits of a chain behind its other filters.
func (r *read) reorderFix() *analysis.SuggestedFix {
	call, ok := r.filterExpr().(*ast.CallExpr)
	if !ok || r.tree.Op != filter.Chain || !r.changeable(call) || len(call.Args) != len(r.tree.Sub) || call.Ellipsis.IsValid() {
		return nil
	}
	b := fix.New(r.p.Pass, call)
	if b == nil {
		return nil
	}
	var order []ast.Expr
	for _, limits := range []bool{false, true} {
		for i, t := range r.tree.Sub {
			if (t.Op == filter.RowLimit || t.Op == filter.RowOffset) == limits {
				order = append(order, call.Args[i])
			}
		}
	}
	for i, a := range call.Args[1:] {
		// Which of the filters a comment beside them speaks of is not known.
		if b.Comments(call.Args[i].End(), a.Pos()) {
			return nil
		}
	}
	if b.Comments(call.Lparen, call.Args[0].Pos()) || b.Comments(call.Args[len(call.Args)-1].End(), call.Rparen) {
		return nil
	}
	for i, a := range call.Args {
		if order[i] != a {
			b.Replace(a, b.Source(order[i]))
		}
	}
	return b.Done("Limit the cells after the filter")
}
