package differential

import (
	"testing"

	"cloud.google.com/go/bigtable"

	. "github.com/ttlvet/ttlvet/internal/filter"
	"github.com/ttlvet/ttlvet/internal/instant"
)

// TestPredicates judges conditions whose predicate asks for live cells: it asks whether
// there is one in the row, and then the whole row goes to the branch, dead cells too.
func TestPredicates(t *testing.T) {
	text := func(s string) Text { return Text{Known: true, S: s} }
	type both struct {
		tree   *Tree
		filter bigtable.Filter
	}
	live := both{&Tree{Op: TimeRange, Start: instant.Instant{Kind: instant.Now}, End: instant.Instant{Kind: instant.Zero}}, bigtable.TimestampRangeFilterMicros(at(0), 0)}
	latest := both{&Tree{Op: LatestN, N: 1, NKnown: true}, bigtable.LatestNFilter(1)}
	block := both{&Tree{Op: BlockAll}, bigtable.BlockAllFilter()}
	family := both{&Tree{Op: Family, Pattern: text("f")}, bigtable.FamilyFilter("f")}
	column := func(name string) both {
		return both{&Tree{Op: Column, Pattern: text(name)}, bigtable.ColumnFilter(name)}
	}
	chain := func(subs ...both) both {
		out, filters := both{tree: &Tree{Op: Chain}}, []bigtable.Filter{}
		for _, s := range subs {
			out.tree.Sub, filters = append(out.tree.Sub, s.tree), append(filters, s.filter)
		}
		out.filter = bigtable.ChainFilters(filters...)
		return out
	}
	condition := func(p, a, b both) both {
		return both{&Tree{Op: Condition, Sub: []*Tree{p.tree, a.tree, b.tree}}, bigtable.ConditionFilter(p.filter, a.filter, b.filter)}
	}
	e := newEmulator(t)
	for name, c := range map[string]struct {
		both
		want Verdict
	}{
		"the newest":                     {condition(live, latest, block), Unbounded},
		"of the family":                  {condition(chain(family, live), latest, block), Unbounded},
		"within the family":              {chain(family, condition(live, latest, block)), Unbounded},
		"of a column":                    {condition(chain(family, column("a"), live), latest, block), Unbounded},
		"another column":                 {condition(chain(family, column("a"), live), column("b"), block), Unbounded},
		"after a limit":                  {chain(family, latest, condition(live, latest, block)), Unbounded},
		"a bounded branch":               {condition(chain(family, live), live, block), Bounded},
		"a bounded branch, and a limit":  {condition(live, chain(latest, live), block), Bounded},
		"bounded before":                 {chain(live, condition(family, latest, block)), Bounded},
		"the newest of the same column":  {chain(family, column("a"), condition(live, latest, block)), Unknown},
		"a column that has a live cell":  {condition(chain(family, column("a"), live), chain(column("a"), latest), block), Unknown},
		"a predicate that never matches": {condition(block, latest, block), Excluded},
	} {
		f := strategies[0]
		if got := Judge(c.tree, f).Verdict; got != c.want {
			t.Errorf("%s: %s is %s, want %s", name, c.filter, got, c.want)
		}
		if dead := e.witness(t, c.tree, c.filter, f); dead != (c.want == Unbounded) {
			t.Errorf("%s: %s returns a dead cell: %t", name, c.filter, dead)
		}
	}
}
