package ttlread

import (
	"go/ast"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/filter"
	"github.com/ttlvet/ttlvet/internal/fix"
)

// rereadFix puts a filter that reads the clock in the place of a variable, or of a call,
// that gives one which was made once.
func (r *read) rereadFix(js []judged) *analysis.SuggestedFix {
	node := js[0].result.Node
	if len(js) != 1 || node == nil {
		return nil
	}
	if declared, others := r.beside(node, js, js[0].target.Table); len(declared)+len(others) > 0 {
		return nil
	}
	expr := r.kept(node)
	if expr == nil {
		return nil
	}
	b := fix.New(r.p.Pass, expr)
	if b == nil {
		return nil
	}
	p := live(b, js[0].target.Family, expr.Pos())
	if !r.mends(with(r.tree, node, p.tree), js) {
		return nil
	}
	return b.Replace(expr, p.text).Done("Read the clock at each read")
}

// kept returns the expression at the read by which it gets a part of its filter that is
// made elsewhere: the only argument of the option or chain around it which may be that.
func (r *read) kept(node *filter.Tree) ast.Expr {
	var args []ast.Expr
	outer := r.innermost(r.tree, node)
	switch {
	case outer == nil && node == r.tree:
		for _, a := range r.e.Call.Args {
			if call, ok := ast.Unparen(a).(*ast.CallExpr); ok && r.isRowFilter(a) {
				args = append(args, call.Args...)
			}
		}
	case outer != nil && outer.Op == filter.Chain:
		if call, ok := ast.Unparen(r.place(outer)).(*ast.CallExpr); ok {
			args = call.Args
		}
	}
	var found ast.Expr
	for _, a := range args {
		if btapi.Type(r.p.TypesInfo.TypeOf(a)) != "bigtable.Filter" || r.makes(a) {
			continue
		}
		if found != nil {
			return nil
		}
		found = a
	}
	return found
}

// makes reports whether a part of the filter is made by an expression.
func (r *read) makes(e ast.Expr) bool {
	var made func(t *filter.Tree) bool
	made = func(t *filter.Tree) bool {
		if v := filter.ValueOf(t); v != nil && v.Expr == ast.Unparen(e) {
			return true
		}
		for _, s := range t.Sub {
			if s != nil && made(s) {
				return true
			}
		}
		return false
	}
	return made(r.tree)
}
