// Package merge gives several filters, of which the last applies.
package merge

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func two(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{})), bigtable.RowFilter(bigtable.LatestNFilter(1))) // want `overridden-filter: .*"code"`
}

// All families by one range, which hides some: what is wanted is not certain.
func hides(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{})), bigtable.RowFilter(bigtable.LatestNFilter(1))) // want `overridden-filter: .*"token"`
}
