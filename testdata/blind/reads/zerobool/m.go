package zerobool

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type options struct{ dead bool }

func (o options) filter() bigtable.Filter {
	if o.dead {
		return bigtable.PassAllFilter()
	}
	return bigtable.TimestampRangeFilter(time.Now(), time.Time{})
}

func scan(ctx context.Context, c *bigtable.Client, o options) (n int) {
	row, _ := c.Open("magic_links").ReadRow(ctx, "k", bigtable.RowFilter(o.filter()))
	return len(row["link"])
}

func Default(ctx context.Context, c *bigtable.Client) int { return scan(ctx, c, options{}) } // silent
