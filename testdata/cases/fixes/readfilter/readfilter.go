// Package readfilter adds the filter that the strategy needs.
package readfilter

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

const pause = time.Second

func oneSecond(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k") // want `missing-filter: .*"code"`
}

func defaultExpiration(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("clicks").ReadRow(ctx, "k") // want `missing-filter: .*"event"`
}

func sequence(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("bank-ledger").ReadRow(ctx, "k") // want `missing-filter: .*"entry"`
}

func rows(ctx context.Context, c *bigtable.Client, visit func(bigtable.Row) bool) error {
	return c.Open("tickets").ReadRows(ctx, bigtable.PrefixRange("a"), visit) // want `missing-filter: .*"ticket"`
}

func besideOtherOption(ctx context.Context, c *bigtable.Client, visit func(bigtable.Row) bool) error {
	return c.Open("tickets").ReadRows(ctx, bigtable.PrefixRange("a"), visit, bigtable.LimitRows(5)) // want `missing-filter: .*"ticket"`
}

func callback(ctx context.Context, c *bigtable.Client) error {
	return c.Open("tickets").ReadRows(ctx, bigtable.PrefixRange("a"), func(row bigtable.Row) bool { // want `missing-filter: .*"ticket"`
		return len(row["ticket"]) > 0
	})
}

func besideOtherFilter(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.LatestNFilter(1))) // want `missing-filter: .*"code"`
}
