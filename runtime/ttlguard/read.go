package ttlguard

import (
	"fmt"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable/apiv2/bigtablepb"

	"github.com/ttlvet/ttlvet/runtime/strategy"
	"github.com/ttlvet/ttlvet/runtime/strategy/filter"
)

// read judges the filter of a read for every family of the table.
func (c *checker) read(f *bigtablepb.RowFilter) {
	if c.table.rights.right(f, c.now) {
		return
	}
	before := len(c.found)
	defer func() {
		if len(c.found) == before {
			c.table.rights.remember(f, c.now)
		}
	}()
	reader := c.reader()
	defer reader.free()
	tree := c.tree(reader, f)
	reading := &reader.reading
	reading.Read(tree)
	bare := c.g.strict && tree.Has(filter.TimeRange) && !tree.NamesFamily()
	var hidden *strategy.Family
	right := false
	for _, family := range c.table.families {
		if !c.g.strict && !family.Strategy.NeedsFilter() {
			continue
		}
		result := reading.Judge(family, reader.rows())
		if family.Strategy == strategy.Real {
			if c.g.strict && (family.MaxAge > 0 || family.Versions > 0) && filter.JudgeLimitsWithin(tree, family, reader.rows()).Verdict == filter.Unbounded {
				c.missing(family, tree != nil)
			}
		}
		if family.Strategy.Expires() && result.Verdict == filter.Bounded && result.Problem == filter.None {
			right = true
		} else if bare && !family.Strategy.Expires() {
			hidden = family
			continue
		}
		if category := result.Category(family.Strategy, tree != nil); category != "" && !careful(family, result) {
			c.wrongRead(category, family, result, tree != nil)
		}
	}
	if right && hidden != nil {
		c.add("ttlread/hides-other-families", hidden, "read has a time range for all families, which hides "+c.name(hidden)+"; interleave a filter for each family")
	}
}

// reader returns a reader of filters at this time.
func (c *checker) reader() *reader {
	r := readers.Get().(*reader)
	r.now, r.patterns = c.now, &c.g.filters
	return r
}

// tree returns the tree of a filter.
func (c *checker) tree(r *reader, f *bigtablepb.RowFilter) *filter.Tree {
	tree := r.filter(f, 0)
	if r.strange {
		c.notJudged("where a filter is of a kind that is not known, or too large")
	}
	return tree
}

// careful reports whether a range begins so little after life that it leaves
// out, on purpose, what is about to expire: ttl.Table.LiveAt does so.
func careful(f *strategy.Family, r filter.Result) bool {
	if r.Problem != filter.HidesNewer || r.Node == nil {
		return false
	}
	margin := min(5*time.Minute, f.MaxAge/10)
	return r.Node.Start.Lo <= float64(margin-f.MaxAge)
}

// wrongRead reports a read that breaks a rule for a family.
func (c *checker) wrongRead(category string, f *strategy.Family, result filter.Result, filtered bool) {
	what := ""
	switch category {
	case "missing-filter":
		c.missing(f, filtered)
		return
	case "unfiltered-branch":
		what = "returns " + dead(f) + " by one branch of its filter; bound every branch by " + remedy(f)
	case "version-limit":
		what = versions(f, result)
	case "wrong-bound":
		what = wrongBound(f, result)
	case "expired-only":
		what = "has a time range of expired cells only; use " + remedy(f)
	case "upper-bound":
		what = "ends its time range, and misses cells that expire later; leave the end open: " + remedy(f)
	case "limit-before-filter":
		what = "limits cells before it drops expired ones, and misses live cells; put the limit after " + remedy(f)
	default:
		return
	}
	c.add("ttlread/"+category, f, "read of "+c.name(f)+" "+what)
}

func (c *checker) missing(f *strategy.Family, filtered bool) {
	how := "returns " + dead(f)
	then := "add "
	if filtered {
		how, then = "has a filter that lets "+dead(f)+" pass", "chain it after "
	}
	c.add("ttlread/missing-filter", f, "read of "+c.name(f)+" "+how+" for up to a week; "+then+remedy(f))
}

// dead says what must be kept out of a family.
func dead(f *strategy.Family) string {
	if f.Strategy == strategy.Sequence || f.Strategy == strategy.Real && f.MaxAge == 0 {
		return "superseded versions"
	}
	return "expired cells"
}

// remedy says which filter a family needs, in the words of the protocol:
// requests come from programs in any language.
func remedy(f *strategy.Family) string {
	switch {
	case f.Strategy == strategy.OneSecond:
		return "a timestamp range from now on"
	case f.Strategy.Expires(), f.Strategy == strategy.Real && f.MaxAge > 0:
		return "a timestamp range from " + strategy.FormatDuration(f.MaxAge) + " ago on"
	}
	n := "a limit of " + strconv.Itoa(max(f.Versions, 1)) + " cell"
	if f.Versions > 1 {
		n += "s"
	}
	return n + " per column"
}

func versions(f *strategy.Family, r filter.Result) string {
	switch r.Problem {
	case filter.TooMany:
		return fmt.Sprintf("asks for more versions than the %d that are kept, and returns superseded ones; ask for %s", f.Versions, remedy(f))
	case filter.LateLimit:
		return "limits versions after it filters values, and returns superseded ones; put " + remedy(f) + " first"
	}
	return "does not limit versions: superseded ones are returned; chain it after " + remedy(f)
}

func wrongBound(f *strategy.Family, r filter.Result) string {
	switch {
	case f.Strategy == strategy.Sequence:
		return "filters by the clock, and returns wrong versions; use " + remedy(f)
	case r.Problem == filter.HidesNewer:
		return "starts its range later than " + strategy.FormatDuration(f.MaxAge) + " ago, and misses live cells; use " + remedy(f)
	case f.Strategy == strategy.Default:
		return "starts its range earlier than " + strategy.FormatDuration(f.MaxAge) + " ago, or the clock was read long before, and returns expired cells; use " + remedy(f)
	}
	return "starts its range before now, or the clock was read long before, and returns expired cells; use " + remedy(f)
}

// predicate judges the condition of a conditional mutation, which is a read:
// what is done depends on it.
func (c *checker) predicate(r *bigtablepb.CheckAndMutateRowRequest) {
	if onlyDeletes(r.GetTrueMutations(), r.GetFalseMutations()) {
		return
	}
	reader := c.reader()
	defer reader.free()
	tree := c.tree(reader, r.GetPredicateFilter())
	for _, f := range c.table.families {
		if !f.Strategy.NeedsFilter() || f.Strategy == strategy.Sequence && tree.Exists() {
			continue // a superseded version implies a newer one
		}
		if filter.JudgeWithin(tree, f, reader.rows()).Verdict == filter.Unbounded {
			c.add("ttlread/conditional-mutation", f, "predicate on "+c.name(f)+" can match "+dead(f)+", and chooses the wrong mutation; chain it after "+remedy(f))
		}
	}
}

// onlyDeletes reports whether mutations delete and do nothing else: to act on
// dead cells is then deliberate.
func onlyDeletes(branches ...[]*bigtablepb.Mutation) bool {
	deletes := false
	for _, all := range branches {
		for _, m := range all {
			switch m.GetMutation().(type) {
			case *bigtablepb.Mutation_DeleteFromColumn_, *bigtablepb.Mutation_DeleteFromFamily_, *bigtablepb.Mutation_DeleteFromRow_:
				deletes = true
			case nil:
			default:
				return false
			}
		}
	}
	return deletes
}
