// Package overridden gives several RowFilter options, of which only the last
// applies.
package overridden

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func live() bigtable.Filter { return bigtable.TimestampRangeFilter(time.Now(), time.Time{}) }

func liveFirst(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(live()), bigtable.RowFilter(bigtable.ColumnFilter("c"))) // want `overridden-filter: `
}

func liveLast(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ColumnFilter("c")), bigtable.RowFilter(live())) // want `overridden-filter: `
}

func withOtherOptions(ctx context.Context, c *bigtable.Client, visit func(bigtable.Row) bool) error {
	return c.Open("otp").ReadRows(ctx, bigtable.PrefixRange("a"), visit, bigtable.RowFilter(live()), bigtable.LimitRows(5), bigtable.RowFilter(bigtable.LatestNFilter(1))) // want `overridden-filter: `
}

func appended(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	opts := []bigtable.ReadOption{bigtable.RowFilter(live())}
	opts = append(opts, bigtable.RowFilter(bigtable.LatestNFilter(1)))
	return c.Open("otp").ReadRow(ctx, "k", opts...) // want `overridden-filter: `
}

func okChained(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(live(), bigtable.ColumnFilter("c"))))
}

func okOneFilter(ctx context.Context, c *bigtable.Client, visit func(bigtable.Row) bool) error {
	return c.Open("otp").ReadRows(ctx, bigtable.PrefixRange("a"), visit, bigtable.LimitRows(5), bigtable.RowFilter(live()), bigtable.ReverseScan())
}

func okEither(ctx context.Context, c *bigtable.Client, latest bool) (bigtable.Row, error) {
	var opts []bigtable.ReadOption
	if latest {
		opts = append(opts, bigtable.RowFilter(bigtable.ChainFilters(live(), bigtable.LatestNFilter(1))))
	} else {
		opts = append(opts, bigtable.RowFilter(live()))
	}
	return c.Open("otp").ReadRow(ctx, "k", opts...)
}

func unregistered(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("plain").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ColumnFilter("c")), bigtable.RowFilter(bigtable.LatestNFilter(1))) // want `overridden-filter: read has 2`
}
