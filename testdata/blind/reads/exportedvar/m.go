package exportedvar

import (
	"context"
	"flag"
	"time"

	"cloud.google.com/go/bigtable"
)

// Retention is set by a flag.
var Retention = 24 * time.Hour

func init() { flag.DurationVar(&Retention, "retention", 14*24*time.Hour, "") }

func Imps(ctx context.Context, c *bigtable.Client, k string) int {
	row, _ := c.Open("impressions").ReadRow(ctx, k, bigtable.RowFilter( // silent
		bigtable.TimestampRangeFilter(time.Now().Add(-Retention), time.Time{})))
	return len(row["imp"])
}

// Keep may be set by any package.
var Keep = 24 * time.Hour

func ImpsKeep(ctx context.Context, c *bigtable.Client, k string) int {
	row, _ := c.Open("impressions").ReadRow(ctx, k, bigtable.RowFilter( // silent
		bigtable.TimestampRangeFilter(time.Now().Add(-Keep), time.Time{}))) // want `wrong-bound: .*"imp"`
	return len(row["imp"])
}
