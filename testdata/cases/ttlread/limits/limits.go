// Package limits counts cells before the dead ones are out.
package limits

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func live() bigtable.Filter { return bigtable.TimestampRangeFilter(time.Now(), time.Time{}) }

func limit(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), live()))) // want `limit-before-filter: .*"code"`
}

func offset(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowOffsetFilter(2), live()))) // want `limit-before-filter: .*"code"`
}

func limitBetween(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(bigtable.ColumnFilter("c"), bigtable.CellsPerRowLimitFilter(5), live(), bigtable.StripValueFilter()))) // want `limit-before-filter: .*"code"`
}

func limitOnDefault(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("clicks").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.TimestampRangeFilter(time.Now().Add(-720*time.Hour), time.Time{})))) // want `limit-before-filter: .*"event"`
}

func nested(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(bigtable.ChainFilters(bigtable.ColumnFilter("c"), bigtable.CellsPerRowLimitFilter(1)), live()))) // want `limit-before-filter: .*"code"`
}

func okLimitAfter(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(live(), bigtable.CellsPerRowLimitFilter(1))))
}

func okOffsetAfter(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(live(), bigtable.CellsPerRowOffsetFilter(1), bigtable.CellsPerRowLimitFilter(1))))
}

// The newest version of each column is live if any is.
func okVersionsBefore(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(bigtable.LatestNFilter(1), live())))
}

func okOrdinaryTable(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("metrics").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), live())))
}
