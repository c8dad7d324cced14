// Package mixed reads tables of several strategies.
package mixed

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func bare(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{}))) // want `hides-other-families: .*"profile"`
}

func none(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("sessions").ReadRow(ctx, "k") // want `missing-filter: .*"token"`
}

func one(ctx context.Context, c *bigtable.Client) ([]bigtable.ReadItem, error) {
	row, err := c.Open("sessions").ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	return row["token"], err
}
