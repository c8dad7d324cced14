package ttlread

import (
	"slices"
	"strconv"

	"github.com/ttlvet/ttlvet/internal/check"
	"github.com/ttlvet/ttlvet/internal/filter"
	"github.com/ttlvet/ttlvet/internal/trace"
	"github.com/ttlvet/ttlvet/internal/value"
)

// overridden reports several RowFilter options, of which only the last
// applies, unless the others are what a caller overrules on purpose and the
// last is right.
func (r *read) overridden(families []check.Target) (check.Finding, bool) {
	if r.filters < 2 {
		return check.Finding{}, false
	}
	right := r.known
	for _, t := range families {
		res := filter.Judge(r.tree, t.Family)
		if res.Verdict != filter.Excluded && (res.Verdict != filter.Bounded || res.Problem != filter.None) && t.Family.Strategy.NeedsFilter() {
			right = false
		}
	}
	if right && !r.written {
		return check.Finding{}, false
	}
	return r.overriddenFinding(families), true
}

// overriddenFinding reports several RowFilter options, whatever is read.
func (r *read) overriddenFinding(families []check.Target) check.Finding {
	mend := r.mergeFix(families)
	if mend == nil {
		mend = r.mergeLive()
	}
	what, count := "read", strconv.Itoa(r.filters)
	if len(families) > 0 {
		what += " of " + describe(families)
	}
	if r.turns {
		count = "several"
	}
	return check.Finding{
		Category: "overridden-filter", Family: names(families),
		Message: what + " has " + count + " RowFilter options, of which only the last applies; write one, RowFilter(ChainFilters(…))",
		Fix:     mend,
		Anyhow:  true,
	}
}

// ownOption reports whether the function of an event makes an option itself: what it is given
// may overrule a default on purpose. What it reads with it may take from a variable of its
// package; what a call gives may be from there too.
func (r *read) ownOption(e *trace.Event, option *value.Value) bool {
	b := option.Base()
	if option.Is(value.Spread) {
		b = option.Args[0].Base().Args[2].Base()
	}
	if b.Expr == nil || e.Node == nil || r.p.Function(e.Node) == "" {
		return false
	}
	in := r.p.Function(b.Expr)
	return in == "" && e == r.e && e.Depth == 0 || in == r.p.Function(e.Node)
}

// loses reports whether a call gives a filter to a function that reads, or to one
// that leads to it, which puts one of its own behind all that it is given: the
// call's filter never applies. One of the call's behind the function's overrules a
// default on purpose.
func (r *read) loses() bool {
	if r.e.Depth == 0 || r.e.OnlyTable || !r.known || len(r.given) < 2 || r.filters != len(r.given) {
		return false
	}
	last := r.given[len(r.given)-1]
	if r.ownOption(r.e, last) || !slices.ContainsFunc(r.given, func(o *value.Value) bool { return o.String() != last.String() }) {
		return false
	}
	return slices.ContainsFunc(r.e.Reached, func(c trace.Case) bool {
		opts := c.Args[len(c.Args)-1].Base()
		if opts.Kind != value.List || len(opts.Args) < 2 {
			return false
		}
		behind := opts.Args[len(opts.Args)-1]
		return behind.Base().Is("bigtable.RowFilter") && slices.ContainsFunc(opts.Args, func(o *value.Value) bool {
			return o.Is(value.Spread) && o.Args[0].Base().Kind == value.Param
		})
	})
}
