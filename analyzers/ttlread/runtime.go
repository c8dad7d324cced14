package ttlread

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/internal/filter"
	"github.com/ttlvet/ttlvet/internal/fix"
	"github.com/ttlvet/ttlvet/internal/helper"
	"github.com/ttlvet/ttlvet/internal/registry"
)

// Fixes by the runtime package, where the package that reads sees the variable
// that declares the table.

// tableVar returns the variable that declares the table of the read, where its
// live filter passes all that the read uses; nil where there is none.
func (r *read) tableVar() *types.Var {
	if len(r.refs) != 1 {
		return nil
	}
	table, _ := r.p.Model.Table(r.refs[0])
	if table == nil || !r.uses.All && slices.ContainsFunc(r.uses.Families, func(name string) bool { return table.Family(name) == nil }) {
		return nil
	}
	return r.p.TableVar(table)
}

// liveFilter writes the live filter of a table that is declared by a variable
// in view, "" where there is none.
func (r *read) liveFilter(b *fix.Builder, at token.Pos) string {
	if v := r.tableVar(); v != nil && b.Names(v, at) {
		return b.Object(v, at) + ".LiveFilter()"
	}
	return ""
}

// liveOption is the fix that puts the live option of the table in the place of
// a RowFilter option, with the filter of that where it is kept.
func (r *read) liveOption(expr ast.Expr, kept bool, message string) *analysis.SuggestedFix {
	v := r.tableVar()
	option := r.optionOf(expr)
	if v == nil || option == nil {
		return nil
	}
	b := fix.New(r.p.Pass, option)
	if b == nil {
		return nil
	}
	text := b.Object(v, option.Pos())
	switch chain := r.chain(expr); {
	case !kept:
		return b.Replace(option, text+".Live()").Done(message)
	case chain != nil:
		return b.Replace(option, text+".LiveAnd("+b.Arguments(chain)+")").Done(message)
	}
	return b.Replace(option, text+".LiveAnd("+b.Source(expr)+")").Done(message)
}

// links writes the filters of a chain, or the only filter.
func (r *read) links(b *fix.Builder, expr ast.Expr) string {
	chain := r.chain(expr)
	if chain == nil {
		return b.Source(expr)
	}
	var links []string
	for _, a := range chain.Args {
		links = append(links, b.Source(a))
	}
	return strings.Join(links, ", ")
}

// optionOf returns the call of RowFilter, an argument of the read, of which an
// expression is the filter; nil where it is none.
func (r *read) optionOf(expr ast.Expr) *ast.CallExpr {
	if expr == nil || r.raw || r.e.Depth > 0 || r.e.Call == nil || r.e.Call.Ellipsis.IsValid() {
		return nil
	}
	for _, a := range r.e.Call.Args {
		call, ok := ast.Unparen(a).(*ast.CallExpr)
		if ok && len(call.Args) == 1 && ast.Unparen(call.Args[0]) == ast.Unparen(expr) && r.isRowFilter(a) {
			return call
		}
	}
	return nil
}

// rereadOption is the fix that makes the live option, which a variable keeps,
// anew at the read.
func (r *read) rereadOption() *analysis.SuggestedFix {
	v := r.tableVar()
	if v == nil || r.live == nil || r.filters != 1 || r.e.Depth > 0 || r.e.Call == nil || r.e.Call.Ellipsis.IsValid() {
		return nil
	}
	declared := registry.TableOf(r.live)
	table, _ := r.p.Model.Table(r.refs[0])
	if declared == nil || declared.Pattern != table.Pattern || !r.tableOnly {
		return nil
	}
	var option ast.Expr
	for _, a := range r.e.Call.Args {
		if named, ok := types.Unalias(r.p.TypesInfo.TypeOf(a)).(*types.Named); ok && named.Obj().Name() == "ReadOption" {
			if _, made := ast.Unparen(a).(*ast.CallExpr); !made && option == nil {
				option = a
			} else if !made {
				return nil
			}
		}
	}
	if option == nil {
		return nil
	}
	b := fix.New(r.p.Pass, option)
	if b == nil {
		return nil
	}
	return b.Replace(option, b.Object(v, option.Pos())+".Live()").Done("Read the clock at each read")
}

// mergeLive is the fix that makes one live option of the table of several
// options, with the filters of the others.
func (r *read) mergeLive() *analysis.SuggestedFix {
	v := r.tableVar()
	if v == nil || r.e.Call == nil || r.e.Depth > 0 || r.e.Call.Ellipsis.IsValid() {
		return nil
	}
	var first ast.Expr
	var rest []ast.Expr
	var links []string
	b := fix.New(r.p.Pass, r.e.Node)
	if b == nil {
		return nil
	}
	merged := &filter.Tree{Op: filter.Chain}
	options := r.c.Args[len(r.c.Args)-1].Base().Args
	from := len(r.e.Call.Args) - len(options)
	if from < 0 {
		return nil
	}
	for i, o := range options {
		call, ok := ast.Unparen(r.e.Call.Args[from+i]).(*ast.CallExpr)
		if !o.Base().Is("bigtable.RowFilter") {
			continue
		}
		if !ok || o.Base().Expr != ast.Expr(call) {
			return nil
		}
		merged.Sub = append(merged.Sub, filter.Of(o.Base().Args[0]))
		if first == nil {
			first = call
		} else {
			rest = append(rest, r.e.Call.Args[from+i])
		}
		switch live := liveOf(o.Base().Args[0]); {
		case live == nil && len(call.Args) == 1:
			links = append(links, r.links(b, call.Args[0]))
		case live != nil && registry.TableOf(live) != nil && o.Base().Args[0].Base().Is(helper.LiveFilter) && len(call.Args) == 0:
		default:
			return nil
		}
	}
	if len(rest) == 0 || len(links) == 0 || len(links) == len(rest)+1 || slices.Contains(merged.Sub, nil) {
		return nil
	}
	table, _ := r.p.Model.Table(r.refs[0])
	for _, f := range table.Families {
		res := filter.Judge(merged, f)
		if f.Strategy.NeedsFilter() && res.Verdict != filter.Excluded && (res.Verdict != filter.Bounded || res.Problem != filter.None) {
			return nil
		}
	}
	b.Replace(first, b.Object(v, first.Pos())+".LiveAnd("+strings.Join(links, ", ")+")")
	for _, a := range rest {
		i := slices.Index(r.e.Call.Args, a)
		b.Delete(r.e.Call.Args[i-1].End(), a.End())
	}
	return b.Done("Read the live cells of the filter")
}
