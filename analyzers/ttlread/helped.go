package ttlread

import (
	"go/ast"
	"go/constant"
	"go/types"
	"strconv"
	"time"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/filter"
	"github.com/ttlvet/ttlvet/internal/fix"
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/value"
)

// A helped is a time range that the call of a helper makes, alone or in a chain.
type helped struct {
	r    *read
	b    *fix.Builder
	f    *registry.Family
	node *filter.Tree // the range
	part *filter.Tree // what the call makes
	call *ast.CallExpr
}

// helpedFix mends a range that a helper makes, by a call of the client with the same
// clock. What the helper does with a lifetime that it is given is not known here.
func (r *read) helpedFix(js []judged) *analysis.SuggestedFix {
	node := js[0].result.Node
	part := r.innermost(r.tree, node)
	if part == nil {
		return nil
	}
	if declared, others := r.beside(branchOf(r.tree, node), js, js[0].target.Table); len(declared)+len(others) > 0 {
		return nil
	}
	expr := r.place(part)
	call, ok := ast.Unparen(expr).(*ast.CallExpr)
	b := fix.New(r.p.Pass, expr)
	if !ok || b == nil {
		return nil
	}
	h := &helped{r, b, js[0].target.Family, node, part, call}
	tree := h.replace()
	if tree == nil || !r.mends(tree, js) {
		return nil
	}
	return b.Done("Filter by the family's strategy")
}

// innermost returns the smallest written part of a filter that has a node in it.
func (r *read) innermost(t, node *filter.Tree) *filter.Tree {
	if t == nil {
		return nil
	}
	for _, s := range t.Sub {
		if part := r.innermost(s, node); part != nil {
			return part
		}
	}
	if (t == node || contains(t, node)) && r.place(t) != nil {
		return t
	}
	return nil
}

func contains(t, node *filter.Tree) bool {
	if t == nil || t == node {
		return t == node
	}
	for _, s := range t.Sub {
		if contains(s, node) {
			return true
		}
	}
	return false
}

// duration returns the value of a constant lifetime.
func (h *helped) duration(a ast.Expr) (time.Duration, bool) {
	if btapi.Type(h.r.p.TypesInfo.TypeOf(a)) != "time.Duration" {
		return 0, false
	}
	n, exact := constant.Int64Val(constant.ToInt(constantOf(h.r, a)))
	return time.Duration(n), exact
}

// replace writes what the helper makes with the client's calls.
func (h *helped) replace() *filter.Tree {
	at := h.call.Pos()
	var live piece
	switch {
	case !h.f.Strategy.Expires():
		n := max(h.f.Versions, 1)
		live = piece{h.b.Ref(fix.Bigtable, "LatestNFilter", at) + "(" + strconv.Itoa(n) + ")", &filter.Tree{Op: filter.LatestN, N: n, NKnown: true}}
	default:
		now, ok := h.now()
		if !ok || h.f.Strategy == registry.Default && h.f.TTL == 0 {
			return nil
		}
		ago := time.Duration(0)
		if h.f.Strategy == registry.Default {
			ago = h.f.TTL
		}
		live = sinceThen(h.b, now, ago, at)
	}
	p, ok := h.rendered(live)
	if !ok {
		return nil
	}
	h.b.Replace(h.call, p.text)
	return with(h.r.tree, h.part, p.tree)
}

// rendered writes what the call makes with another filter in the place of the range.
func (h *helped) rendered(live piece) (piece, bool) {
	if h.part == h.node {
		return live, true
	}
	if h.part.Op != filter.Chain {
		return piece{}, false
	}
	var links []piece
	for _, s := range h.part.Sub {
		switch {
		case s == h.node:
			links = append(links, live)
		case s.Op == filter.Family && s.Pattern.Known:
			links = append(links, piece{h.b.Ref(fix.Bigtable, "FamilyFilter", h.call.Pos()) + "(" + h.text(s.Pattern.S) + ")", s})
		case s.Op == filter.Column && s.Pattern.Known:
			links = append(links, piece{h.b.Ref(fix.Bigtable, "ColumnFilter", h.call.Pos()) + "(" + h.text(s.Pattern.S) + ")", s})
		case s.Op == filter.LatestN && s.NKnown:
			links = append(links, piece{h.b.Ref(fix.Bigtable, "LatestNFilter", h.call.Pos()) + "(" + strconv.Itoa(s.N) + ")", s})
		default:
			return piece{}, false
		}
	}
	return joined(h.b, filter.Chain, h.call.Pos(), links...), true
}

// text writes a text as the call has it: by its constant, where it names one.
func (h *helped) text(s string) string {
	for _, a := range h.call.Args {
		if v := constantOf(h.r, a); v.Kind() == constant.String && constant.StringVal(v) == s && isString(h.r.p.TypesInfo.TypeOf(a)) {
			return h.b.Source(a)
		}
	}
	return strconv.Quote(s)
}

func isString(t types.Type) bool {
	basic, ok := t.(*types.Basic)
	return ok && basic.Info()&types.IsString != 0
}

// now writes the current time by the clock that the call's range is reckoned from.
func (h *helped) now() (string, bool) {
	distance, exact := h.node.Start.Exact()
	if !exact {
		return "", false
	}
	var given []string
	for _, a := range h.call.Args {
		if btapi.Type(h.r.p.TypesInfo.TypeOf(a)) == "time.Time" {
			clock, ok := h.reading(a, distance)
			if !ok {
				return "", false
			}
			given = append(given, clock)
		} else if call := fix.ClockCall(h.r.p.TypesInfo.TypeOf(a)); call != "" {
			given = append(given, h.b.Source(a)+call)
		}
	}
	switch {
	case len(given) == 1:
		return given[0], true
	case len(given) == 0 && !filter.ValueOf(h.node).Has(func(v *value.Value) bool { return v.Is(value.Clock) }):
		return h.b.Now(h.call.Pos()), true
	}
	return h.b.Injected(h.call.Pos())
}

// reading returns the reading of the clock that a time is made of which the helper is
// given, where the range begins so far from it.
func (h *helped) reading(a ast.Expr, distance time.Duration) (string, bool) {
	if of, d, ok := fix.Added(a); ok {
		n, known := h.duration(d)
		return h.b.Source(of), known && n == distance && fix.Primary(of)
	}
	if !fix.Primary(a) {
		return "", false
	}
	if distance == 0 {
		return h.b.Source(a), true
	}
	for _, other := range h.call.Args {
		if n, ok := h.duration(other); ok && n == -distance {
			return h.b.Source(a), true // so far back from the time that it is given
		}
	}
	return "", false
}
