package lenpath

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func read(ctx context.Context, t *bigtable.Table, key string, live bool) (bigtable.Row, error) {
	fs := []bigtable.Filter{bigtable.FamilyFilter("tok")}
	if live {
		fs = append(fs, bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	}
	if len(fs) == 1 {
		return t.ReadRow(ctx, key, bigtable.RowFilter(fs[0])) // silent
	}
	return t.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(fs...)))
}

func Live(ctx context.Context, c *bigtable.Client, key string) (bigtable.Row, error) {
	return read(ctx, c.Open("sessions"), key, true)
}
