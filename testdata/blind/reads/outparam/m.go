package outparam

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func setFilter(f *bigtable.Filter) { *f = bigtable.TimestampRangeFilter(time.Now(), time.Time{}) }

func addLive(opts *[]bigtable.ReadOption) {
	*opts = append(*opts, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{})))
}

type request struct{ opts []bigtable.ReadOption }

func prepare(r *request) {
	r.opts = append(r.opts, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{})))
}

func Filter(ctx context.Context, c *bigtable.Client, k string) int {
	var f bigtable.Filter
	setFilter(&f)
	row, _ := c.Open("magic_links").ReadRow(ctx, k, bigtable.RowFilter(f)) // silent
	return len(row["link"])
}

func Opts(ctx context.Context, c *bigtable.Client, k string) int {
	var opts []bigtable.ReadOption
	addLive(&opts)
	row, _ := c.Open("magic_links").ReadRow(ctx, k, opts...) // silent
	return len(row["link"])
}

func Struct(ctx context.Context, c *bigtable.Client, k string) int {
	var r request
	prepare(&r)
	row, _ := c.Open("magic_links").ReadRow(ctx, k, r.opts...) // silent
	return len(row["link"])
}

func Sometimes(f *bigtable.Filter, live bool) {
	if live {
		*f = bigtable.TimestampRangeFilter(time.Now(), time.Time{})
	}
}

func External(ctx context.Context, c *bigtable.Client, k string, fill func(*[]bigtable.ReadOption)) int {
	var opts []bigtable.ReadOption
	fill(&opts)
	row, _ := c.Open("magic_links").ReadRow(ctx, k, opts...) // silent
	return len(row["link"])
}
