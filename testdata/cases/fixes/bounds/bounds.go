// Package bounds gives time ranges that say something else.
package bounds

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func expired(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Time{}, time.Now()))) // want `expired-only: .*"code"`
}

func ends(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Now().Add(time.Minute)))) // want `upper-bound: .*"code"`
}

func late(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("clicks").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{}))) // want `wrong-bound: .*"event"`
}

func versions(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("bank-ledger").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.LatestNFilter(5))) // want `version-limit: .*"entry"`
}

func family(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("bank-ledger").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter("entry"))) // want `version-limit: .*"entry"`
}
