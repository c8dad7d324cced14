package ptropts

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type options struct{ filter bigtable.Filter }

func scan(ctx context.Context, c *bigtable.Client, o *options) (n int) {
	if o.filter == nil {
		o.filter = bigtable.TimestampRangeFilter(time.Now(), time.Time{})
	}
	row, _ := c.Open("magic_links").ReadRow(ctx, "k", bigtable.RowFilter(o.filter))
	return len(row["link"])
}

func Default(ctx context.Context, c *bigtable.Client) int { return scan(ctx, c, &options{}) } // silent
