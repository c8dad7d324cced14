package nilcheck

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func filter(live bool) bigtable.Filter {
	if live {
		return bigtable.TimestampRangeFilter(time.Now(), time.Time{})
	}
	return nil
}

func Always(ctx context.Context, c *bigtable.Client, k string) int {
	var opts []bigtable.ReadOption
	if f := filter(true); f != nil {
		opts = append(opts, bigtable.RowFilter(f))
	}
	row, _ := c.Open("magic_links").ReadRow(ctx, k, opts...) // silent
	return len(row["link"])
}

func Literal(ctx context.Context, c *bigtable.Client, k string) int {
	f := bigtable.TimestampRangeFilter(time.Now(), time.Time{})
	var opts []bigtable.ReadOption
	if f != nil {
		opts = append(opts, bigtable.RowFilter(f))
	}
	row, _ := c.Open("magic_links").ReadRow(ctx, k, opts...) // silent
	return len(row["link"])
}
