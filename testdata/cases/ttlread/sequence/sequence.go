// Package sequence reads sequence families: a limit of versions is what
// garbage collection keeps, a time range says nothing.
package sequence

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func open(c *bigtable.Client) *bigtable.Table { return c.Open("bank-ledger") }

func okLatest(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return open(c).ReadRow(ctx, "k", bigtable.RowFilter(bigtable.LatestNFilter(1)))
}

func okAllVersions(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return open(c).ReadRow(ctx, "k", bigtable.RowFilter(bigtable.LatestNFilter(3)))
}

func okLatestInChain(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return open(c).ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("entry"), bigtable.ColumnFilter("amount"), bigtable.LatestNFilter(1))))
}

func okLatestBeforeValue(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return open(c).ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(bigtable.LatestNFilter(1), bigtable.ValueFilter("open"))))
}

func okUnknownLimit(ctx context.Context, c *bigtable.Client, n int) (bigtable.Row, error) {
	return open(c).ReadRow(ctx, "k", bigtable.RowFilter(bigtable.LatestNFilter(n)))
}

func noFilter(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return open(c).ReadRow(ctx, "k") // want `missing-filter: .*"entry"`
}

func tooMany(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return open(c).ReadRow(ctx, "k", bigtable.RowFilter(bigtable.LatestNFilter(10))) // want `version-limit: .*"entry"`
}

func noLimit(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return open(c).ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter("entry"))) // want `version-limit: .*"entry"`
}

func noLimitColumn(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return open(c).ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ColumnFilter("amount"))) // want `version-limit: .*"entry"`
}

func limitAfterValue(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return open(c).ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(bigtable.ValueFilter("open"), bigtable.LatestNFilter(1)))) // want `version-limit: .*"entry"`
}

func timeRange(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return open(c).ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now().Add(-time.Hour), time.Time{}))) // want `wrong-bound: .*"entry"`
}

func timeRangeAndLimit(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return open(c).ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(bigtable.TimestampRangeFilter(time.Now().Add(-time.Hour), time.Time{}), bigtable.LatestNFilter(1)))) // want `wrong-bound: .*"entry"`
}

func okLookup(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return open(c).ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilterMicros(5000, 9000)))
}

func okLookupUnknown(ctx context.Context, c *bigtable.Client, n int64) (bigtable.Row, error) {
	return open(c).ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilterMicros(bigtable.Timestamp(n*1000), bigtable.Timestamp((n+1)*1000))))
}

// The table of one version.

func okOne(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("history").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.LatestNFilter(1)))
}

func two(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("history").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.LatestNFilter(2))) // want `version-limit: .*"val"`
}

// A limit in one branch only.

func oneBranch(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return open(c).ReadRow(ctx, "k", bigtable.RowFilter(bigtable.InterleaveFilters(bigtable.ChainFilters(bigtable.ColumnFilter("a"), bigtable.LatestNFilter(1)), bigtable.ColumnFilter("b")))) // want `unfiltered-branch: .*"entry"`
}

func okBothBranches(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return open(c).ReadRow(ctx, "k", bigtable.RowFilter(bigtable.InterleaveFilters(bigtable.ChainFilters(bigtable.ColumnFilter("a"), bigtable.LatestNFilter(1)), bigtable.ChainFilters(bigtable.ColumnFilter("b"), bigtable.LatestNFilter(3)))))
}
