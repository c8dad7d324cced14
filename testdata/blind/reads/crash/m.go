package crash

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type Options struct {
	Filter bigtable.Filter
}

func (o Options) withDefaults() Options {
	if o.Filter == nil {
		o.Filter = bigtable.TimestampRangeFilter(time.Now(), time.Time{})
	}
	return o
}

func scan(ctx context.Context, c *bigtable.Client, o Options) (n int) {
	o = o.withDefaults()
	row, _ := c.Open("magic_links").ReadRow(ctx, "k", bigtable.RowFilter(o.Filter))
	return len(row["link"])
}

func Default(ctx context.Context, c *bigtable.Client) int { return scan(ctx, c, Options{}) }
