package aliases

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// A list that a literal captures grows in a loop like any other.
func collect(fs ...bigtable.Filter) []bigtable.ReadOption {
	var kept []bigtable.Filter
	for _, f := range fs {
		if f != nil {
			kept = append(kept, f)
		}
	}
	if len(kept) == 0 {
		return nil
	}
	return []bigtable.ReadOption{bigtable.RowFilter(func() bigtable.Filter { return bigtable.ChainFilters(kept...) }())}
}

func okCollected(ctx context.Context, tbl *bigtable.Table) (bigtable.Row, error) {
	return tbl.ReadRow(ctx, "k", collect(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))...)
}

func collectedWithout(ctx context.Context, tbl *bigtable.Table) (bigtable.Row, error) {
	return tbl.ReadRow(ctx, "k", collect(bigtable.FamilyFilter("token"), bigtable.LatestNFilter(1))...) // not seen: missing-filter
}

func collectedTooEarly(ctx context.Context, tbl *bigtable.Table) (bigtable.Row, error) {
	return tbl.ReadRow(ctx, "k", collect(nil, bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Now().Add(-time.Hour), time.Time{}))...) // not seen: wrong-bound
}

// What one turn in two appends, and what is there before.
func okCollectedBehind(ctx context.Context, tbl *bigtable.Table, names []string) (bigtable.Row, error) {
	kept := []bigtable.Filter{bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Now(), time.Time{})}
	for _, n := range names {
		if n != "" {
			kept = append(kept, bigtable.ColumnFilter(n))
		}
	}
	chain := func() bigtable.Filter { return bigtable.ChainFilters(kept...) }
	return tbl.ReadRow(ctx, "k", bigtable.RowFilter(chain()))
}

// Each turn begins anew: the last filter is what is left.
func lastOnly(ctx context.Context, tbl *bigtable.Table, fs ...bigtable.Filter) (bigtable.Row, error) {
	var kept []bigtable.Filter
	for _, f := range fs {
		kept = nil
		kept = append(kept, f)
	}
	first := func() bigtable.Filter { return kept[0] }
	return tbl.ReadRow(ctx, "k", bigtable.RowFilter(first()))
}

func lastIsOpen(ctx context.Context, tbl *bigtable.Table) (bigtable.Row, error) {
	return lastOnly(ctx, tbl, bigtable.TimestampRangeFilter(time.Now(), time.Time{}), bigtable.FamilyFilter("token")) // want `missing-filter: .*"token"`
}
