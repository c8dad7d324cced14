// Package stalebound reads the clock for each read.
package stalebound

import (
	"context"
	"fmt"
	"sync"
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

// A filter that a variable keeps, or a function that makes it once, gives way to one that
// reads the clock.
func kept(ctx context.Context, c *bigtable.Client) {
	use(c.Open("tickets").ReadRow(ctx, "k", bigtable.RowFilter(live))) // want `stale-bound: .*"ticket"`
}

var once = sync.OnceValue(func() bigtable.Filter { return bigtable.TimestampRangeFilter(time.Now(), time.Time{}) })

func chained(ctx context.Context, c *bigtable.Client) {
	use(c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("token"), live)))) // want `stale-bound: .*"token"`
	use(c.Open("tickets").ReadRow(ctx, "k", bigtable.RowFilter(once())))                                                       // want `stale-bound: .*"ticket"`
}

// Which of two it is is not looked for.
var column = bigtable.ColumnFilter("a")

func two(ctx context.Context, c *bigtable.Client) {
	use(c.Open("tickets").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(column, live)))) // want `stale-bound: .*"ticket"`
}
