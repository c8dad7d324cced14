package ttlread

import (
	"go/ast"
	"go/constant"
	"go/types"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/filter"
	"github.com/ttlvet/ttlvet/internal/fix"
	"github.com/ttlvet/ttlvet/internal/instant"
	"github.com/ttlvet/ttlvet/internal/registry"
)

// A timeRange is a time range in the source, and what the family needs.
type timeRange struct {
	r          *read
	b          *fix.Builder
	node       *filter.Tree
	start, end ast.Expr
	micros     bool          // bounded by bigtable.Timestamps
	from       time.Duration // where the right range starts, from now
}

// rangeFix moves the bounds of a time range to where the family needs them.
// The clock that they are reckoned from stays.
func (r *read) rangeFix(js []judged) *analysis.SuggestedFix {
	node, f := js[0].result.Node, js[0].target.Family
	if !bounds(r.p.TypesInfo, r.place(node)) {
		return r.helpedFix(js)
	}
	if declared, others := r.beside(branchOf(r.tree, node), js, js[0].target.Table); len(declared)+len(others) > 0 {
		return nil
	}
	if !f.Strategy.Expires() && r.tree.Has(filter.LatestN) {
		return r.dropFix(node, f)
	}
	if !f.Strategy.Expires() || node.Op != filter.TimeRange || node.Start.Once {
		return r.replaceFix(node, f)
	}
	call, ok := ast.Unparen(filter.ValueOf(node).Expr).(*ast.CallExpr)
	if !ok || len(call.Args) != 2 {
		return nil
	}
	b := fix.New(r.p.Pass, call)
	if b == nil {
		return nil
	}
	t := &timeRange{r: r, b: b, node: node, start: call.Args[0], end: call.Args[1],
		micros: filter.ValueOf(node).Base().Is("bigtable.TimestampRangeFilterMicros")}
	if f.Strategy == registry.Default {
		t.from = -f.TTL
	}
	moved := t.startsRight(f) || t.moveStart() || t.startBeforeEnd()
	if !moved {
		if b.Plain(t.start) && b.Plain(t.end) {
			return r.replaceFix(node, f)
		}
		return nil
	}
	if !filter.Open(node.End) {
		open := "0"
		if !t.micros {
			open = b.Ref(fix.Time, "Time", t.end.Pos()) + "{}"
		}
		b.Replace(t.end, open)
	}
	return b.Done("Filter by the family's strategy")
}

// bounds reports whether an expression is a call of the client, or one that is given the
// two bounds of a range and nothing else.
func bounds(info *types.Info, e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return false
	}
	times := 0
	for _, a := range call.Args {
		if btapi.Type(info.TypeOf(a)) == "time.Time" {
			times++
		}
	}
	return times == 2 && len(call.Args) == 2 || strings.HasPrefix(btapi.Func(typeutil.StaticCallee(info, call)), "bigtable.")
}

// dropFix removes a filter from a chain whose other links are what the family
// needs.
func (r *read) dropFix(node *filter.Tree, f *registry.Family) *analysis.SuggestedFix {
	chain := r.chain(r.filterExpr())
	if chain == nil || r.tree.Op != filter.Chain || len(chain.Args) != len(r.tree.Sub) || len(chain.Args) < 2 {
		return nil
	}
	i := slices.Index(r.tree.Sub, node)
	if i < 0 {
		return nil
	}
	rest := *r.tree
	rest.Sub = slices.Delete(slices.Clone(rest.Sub), i, i+1)
	b := fix.New(r.p.Pass, chain)
	if res := filter.Judge(&rest, f); res.Verdict != filter.Bounded || res.Problem != filter.None || b == nil {
		return nil
	}
	switch args := chain.Args; {
	case len(args) == 2:
		other := args[1-i]
		b.Delete(chain.Pos(), other.Pos()).Delete(other.End(), chain.End())
	case i == 0:
		b.Delete(args[0].Pos(), args[1].Pos())
	default:
		b.Delete(args[i-1].End(), args[i].End())
	}
	return b.Done("Leave the range out")
}

// startsRight reports whether the start is where the family needs it.
func (t *timeRange) startsRight(f *registry.Family) bool {
	d, ok := t.node.Start.Exact()
	return ok && d <= t.from && t.from-d <= f.MaxAge && (f.Strategy == registry.OneSecond || d == t.from)
}

// moveStart changes what is added to the clock at the start.
func (t *timeRange) moveStart() bool {
	expr, ok := t.time(t.b.Target(t.start))
	if !ok {
		return false
	}
	clock, added, ok := t.clock(expr, t.node.Start)
	switch {
	case !ok:
		return false
	case added == nil && t.from != 0:
		t.b.Call(clock, t.add())
	case added != nil && t.from == 0:
		t.b.Delete(clock.End(), expr.End())
	case added != nil:
		t.b.Replace(added, "-"+t.b.Duration(-t.from, added.Pos()))
	default:
		return false
	}
	return true
}

// startBeforeEnd puts the start where it belongs, reckoned from the clock at
// the end.
func (t *timeRange) startBeforeEnd() bool {
	if t.node.Start.Clock() {
		return false
	}
	expr, ok := t.time(t.end)
	if !ok {
		return false
	}
	clock, _, ok := t.clock(expr, t.node.End)
	if !ok || !fix.Primary(clock) {
		return false
	}
	text := t.b.Source(clock)
	if t.from != 0 {
		text += t.add()
	}
	if t.micros {
		text = t.b.Ref(fix.Bigtable, "Time", t.start.Pos()) + "(" + text + ")"
	}
	t.b.Replace(t.start, text)
	return true
}

func (t *timeRange) add() string { return ".Add(-" + t.b.Duration(-t.from, t.start.Pos()) + ")" }

// time returns the time.Time that a bound is made of.
func (t *timeRange) time(bound ast.Expr) (ast.Expr, bool) {
	if !t.micros {
		return bound, true
	}
	times := t.b.Times(bound)
	call, ok := ast.Unparen(bound).(*ast.CallExpr)
	if ok && len(times) == 1 && len(call.Args) == 1 && ast.Unparen(call.Args[0]) == times[0] {
		return times[0], true
	}
	return nil, false
}

// clock returns the expression of the current time that a time is reckoned
// from, and what is added to it, or nil.
func (t *timeRange) clock(expr ast.Expr, i instant.Instant) (clock, added ast.Expr, ok bool) {
	distance, ok := i.Exact()
	if !ok {
		return nil, nil, false
	}
	if of, d, ok := fix.Added(expr); ok {
		n, exact := constant.Int64Val(constant.ToInt(constantOf(t.r, d)))
		return of, d, exact && time.Duration(n) == distance
	}
	return expr, nil, distance == 0
}

// constantOf returns the value of a constant expression.
func constantOf(r *read, expr ast.Expr) constant.Value {
	if v := r.p.TypesInfo.Types[expr].Value; v != nil {
		return v
	}
	return constant.MakeUnknown()
}
