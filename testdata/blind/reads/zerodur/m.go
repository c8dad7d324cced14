package zerodur

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type options struct{ back time.Duration }

func scan(ctx context.Context, c *bigtable.Client, o options) (n int) {
	if o.back == 0 {
		o.back = 14 * 24 * time.Hour
	}
	row, _ := c.Open("impressions").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now().Add(-o.back), time.Time{})))
	return len(row["imp"])
}

func Default(ctx context.Context, c *bigtable.Client) int { return scan(ctx, c, options{}) } // silent
