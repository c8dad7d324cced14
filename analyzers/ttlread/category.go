package ttlread

import (
	"fmt"
	"go/ast"
	"slices"
	"strconv"
	"strings"

	"github.com/ttlvet/ttlvet/internal/check"
	"github.com/ttlvet/ttlvet/internal/filter"
	"github.com/ttlvet/ttlvet/internal/registry"
)

// category names what is wrong with a read for a family, "" for nothing that
// is certain.
func (r *read) category(j judged) string {
	return j.result.Category(j.target.Family.Strategy, r.tree != nil)
}

// finding makes one finding of all families with the same problem.
func (r *read) finding(category string, js []judged) check.Finding {
	var ts []check.Target
	for _, j := range js {
		ts = append(ts, j.target)
	}
	f := js[0].target.Family
	node := js[0].result.Node
	out := check.Finding{Category: category, Family: names(ts)}
	read := "read of " + describe(ts) + " "
	switch category {
	case "missing-filter":
		out.Message = read + "returns " + dead(ts) + " for up to a week; add " + r.remedies(ts)
		if r.tree != nil {
			out.Message = read + "has a filter that lets " + dead(ts) + " pass; chain it after " + r.remedies(ts)
		}
	case "unfiltered-branch":
		out.Message = read + "returns " + dead(ts) + " by one branch of its filter; bound every branch by " + list(ts)
	case "version-limit":
		out.Message = read + r.versions(js[0])
	case "wrong-bound":
		out.Message = read + wrongBound(f, js[0].result, r.boundFor(ts, node))
	case "stale-bound":
		out.Message = read + "filters by a clock that was read once: cells that expire later pass; read the clock each time: " + remedy(f)
	case "expired-only":
		out.Message = read + "has a time range of expired cells only; use " + remedy(f)
	case "upper-bound":
		out.Message = read + "ends its time range, and misses cells that expire later; leave the end open: " + remedy(f)
	case "limit-before-filter":
		out.Message = read + "limits cells before it drops expired ones, and misses live cells; put the limit after " + remedy(f)
	}
	if filter.ValueOf(node) != nil && r.at(filter.ValueOf(node).Expr) && category != "unfiltered-branch" && category != "missing-filter" {
		out.At = filter.ValueOf(node).Expr
	}
	if e := r.filterExpr(); out.At == nil && e != nil && r.tree != nil && r.at(e) {
		out.At = e
	}
	if category != "unfiltered-branch" && (r.tree == nil || node == nil || r.innermost(r.tree, node) == nil) {
		out.Message += r.there()
	}
	if out.Wrong = filter.ValueOf(node); node == nil {
		out.Wrong = filter.ValueOf(r.tree)
	}
	out.Fix = r.fix(category, js)
	return out
}

// filterExpr is the expression of the filter that applies, when known.
func (r *read) filterExpr() ast.Expr {
	if filter.ValueOf(r.tree) == nil {
		return nil
	}
	return filter.ValueOf(r.tree).Expr
}

// dead says what must be kept out of families.
func dead(ts []check.Target) string {
	expired, superseded := false, false
	for _, t := range ts {
		if t.Family.Strategy == registry.Sequence || t.Family.Strategy == registry.Real && t.Family.MaxAge == 0 {
			superseded = true
		} else {
			expired = true
		}
	}
	switch {
	case expired && superseded:
		return "expired cells and superseded versions"
	case superseded:
		return "superseded versions"
	}
	return "expired cells"
}

// remedy writes the filter that a family needs.
func remedy(f *registry.Family) string {
	switch f.Strategy {
	case registry.OneSecond:
		return "TimestampRangeFilter(time.Now(), time.Time{})"
	case registry.Default:
		ttl := "ttl"
		if f.TTL > 0 {
			ttl = registry.GoDuration(f.TTL)
		}
		return "TimestampRangeFilter(time.Now().Add(-" + ttl + "), time.Time{})"
	case registry.Real:
		if f.MaxAge > 0 {
			return "TimestampRangeFilter(time.Now().Add(-" + registry.GoDuration(f.MaxAge) + "), time.Time{})"
		}
	}
	return "LatestNFilter(" + strconv.Itoa(max(f.Versions, 1)) + ")"
}

// list writes the filters that families need, each once.
func list(ts []check.Target) string {
	if len(ts) == 1 {
		return remedy(ts[0].Family)
	}
	var filters []string
	families := map[string][]string{}
	for _, t := range ts {
		s := remedy(t.Family)
		if families[s] == nil {
			filters = append(filters, s)
		}
		families[s] = append(families[s], strconv.Quote(t.Family.Name))
	}
	if len(filters) == 1 {
		return filters[0]
	}
	for i, s := range filters {
		filters[i] = s + " for " + strings.Join(families[s], " and ")
	}
	return strings.Join(filters, ", ")
}

// remedies writes the filter that a read needs: that of its families, where it
// reads no others, or else one that lets the others pass.
func (r *read) remedies(ts []check.Target) string {
	var others []*registry.Family
	if t := ts[0].Table; t != nil && r.uses.All {
		for _, g := range t.Families {
			if !slices.ContainsFunc(ts, func(t check.Target) bool { return t.Family.Name == g.Name }) &&
				filter.Judge(r.tree, g).Verdict != filter.Excluded {
				others = append(others, g)
			}
		}
	}
	if len(others) == 0 {
		return list(ts)
	}
	var own []*registry.Family
	for _, t := range ts {
		own = append(own, t.Family)
	}
	needed := branches(own, true)
	if len(needed) > 1 {
		return "InterleaveFilters: " + list(ts)
	}
	if all := append(needed, branches(others, false)...); len(all) == 2 {
		return "InterleaveFilters(" + strings.Join(all, ", ") + ")"
	}
	return "InterleaveFilters of " + needed[0] + " and a filter for each other family"
}

// branches writes the filters for the cells of families that are alive, one for those
// that need the same; bounded says that each needs one, which under the strict rules may
// be others than do.
func branches(families []*registry.Family, bounded bool) []string {
	var order []string
	names := map[string][]string{}
	for _, f := range families {
		own := ""
		if bounded || f.Strategy.NeedsFilter() {
			own = remedy(f)
		}
		if names[own] == nil {
			order = append(order, own)
		}
		names[own] = append(names[own], f.Name)
	}
	for i, own := range order {
		order[i] = "FamilyFilter(" + strconv.Quote(strings.Join(names[own], "|")) + ")"
		if own != "" {
			order[i] = "ChainFilters(" + order[i] + ", " + own + ")"
		}
	}
	return order
}

// interleaved writes a filter for the families of a table of which a time range
// for all hides some.
func interleaved(hidden []check.Target) string {
	if t := hidden[0].Table; t != nil && expires(t) {
		if all := branches(t.Families, false); len(all) == 2 {
			return "InterleaveFilters(" + strings.Join(all, ", ") + ")"
		}
	}
	return "InterleaveFilters, with one filter per family, such as " + branches([]*registry.Family{hidden[0].Family}, false)[0]
}

// expires reports whether cells of a family of the table expire.
func expires(t *registry.Table) bool {
	return slices.ContainsFunc(t.Families, func(f *registry.Family) bool { return f.Strategy.Expires() })
}

func (r *read) versions(j judged) string {
	f := j.target.Family
	switch j.result.Problem {
	case filter.TooMany:
		return fmt.Sprintf("asks for more versions (%d) than are kept (%d), and returns superseded ones; ask for LatestNFilter(%d)", j.result.Node.N, f.Versions, f.Versions)
	case filter.LateLimit:
		return "limits versions after it filters values, and returns superseded ones; put " + remedy(f) + " first"
	}
	return "does not limit versions: superseded ones are returned; chain it after " + remedy(f)
}

// boundFor writes the filter for families whose bound is wrong: one that lets the
// others of the table pass, where the bound is for all.
func (r *read) boundFor(ts []check.Target, node *filter.Tree) string {
	if t := ts[0].Table; t != nil && r.bare(branchOf(r.tree, node), ts[0].Family, t) {
		return interleaved(ts)
	}
	return remedy(ts[0].Family)
}

func wrongBound(f *registry.Family, res filter.Result, remedy string) string {
	switch {
	case f.Strategy == registry.Sequence:
		return "filters by the clock, and returns wrong versions; use " + remedy
	case f.Strategy == registry.Default && res.Problem == filter.HidesNewer:
		return "starts its range later than " + registry.FormatDuration(f.TTL) + " ago, and misses live cells; use " + remedy
	case f.Strategy == registry.Default:
		return "starts its range earlier than " + registry.FormatDuration(f.TTL) + " ago, and returns expired cells; use " + remedy
	case res.Problem == filter.HidesNewer:
		return "starts its range after now, and misses live cells; use " + remedy
	}
	return "starts its range before now, and returns expired cells; use " + remedy
}

// hidesFinding reports a bare time range that drops the cells of other
// families.
func (r *read) hidesFinding(hidden []check.Target) check.Finding {
	f := check.Finding{
		Category: "hides-other-families", Family: names(hidden),
		Message: "read has a time range for all families, which hides " + describe(hidden) + "; write " + interleaved(hidden),
		Wrong:   filter.ValueOf(r.tree),
	}
	if e := r.filterExpr(); e != nil && r.at(e) {
		f.At = e
	}
	f.Fix = r.interleaveFix(hidden)
	return f
}
