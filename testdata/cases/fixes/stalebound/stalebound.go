// Package stalebound reads the clock for each read.
package stalebound

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
)

var (
	started = time.Now()
	stamp   = bigtable.Now()
	live    = bigtable.TimestampRangeFilter(time.Now(), time.Time{})
)

func use(row bigtable.Row, _ error) { fmt.Println(row) }

func inPlace(ctx context.Context, c *bigtable.Client) {
	use(c.Open("clicks").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(started.Add(-720*time.Hour), time.Time{})))) // want `stale-bound: .*"event"`
	use(c.Open("tickets").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilterMicros(stamp, 0))))                          // want `stale-bound: .*"ticket"`
}

// Another start of the range takes another reading too.
func moved(ctx context.Context, c *bigtable.Client) {
	use(c.Open("clicks").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(started, time.Time{})))) // want `wrong-bound: .*"event"`
}

// The filter itself is kept.
func kept(ctx context.Context, c *bigtable.Client) {
	use(c.Open("tickets").ReadRow(ctx, "k", bigtable.RowFilter(live))) // want `stale-bound: .*"ticket"`
}
