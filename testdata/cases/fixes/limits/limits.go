// Package limits counts cells before it drops the dead ones.
package limits

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func limited(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(10), bigtable.TimestampRangeFilter(time.Now(), time.Time{})))) // want `limit-before-filter: .*"code"`
}
