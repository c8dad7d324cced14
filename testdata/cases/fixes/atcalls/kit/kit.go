// Package kit is the application's own library: reads, filters and clocks.
package kit

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// Table reads with what it is given.
type Table struct{ tbl *bigtable.Table }

func Open(c *bigtable.Client, name string) *Table { return &Table{c.Open(name)} }

func (t *Table) Get(ctx context.Context, key string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	return t.tbl.ReadRow(ctx, key, append(opts, bigtable.WithFullReadStats(nil))...)
}

func (t *Table) Filtered(ctx context.Context, key string, f bigtable.Filter) (bigtable.Row, error) {
	return t.tbl.ReadRow(ctx, key, bigtable.RowFilter(f))
}

// Newest reads by a filter of its own, whatever it is given.
func Newest(ctx context.Context, tbl *bigtable.Table, key string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	return tbl.ReadRow(ctx, key, append(opts, bigtable.RowFilter(bigtable.LatestNFilter(1)))...)
}

// Both reads two tables by one filter.
func Both(ctx context.Context, c *bigtable.Client, key string, f bigtable.Filter) (bigtable.Row, bigtable.Row, error) {
	a, err := c.Open("otp").ReadRow(ctx, key, bigtable.RowFilter(f))
	if err != nil {
		return nil, nil, err
	}
	b, err := c.Open("gauges").ReadRow(ctx, key, bigtable.RowFilter(f))
	return a, b, err
}

// In restricts a filter to a family.
func In(family string, fs ...bigtable.Filter) bigtable.Filter {
	return bigtable.ChainFilters(append([]bigtable.Filter{bigtable.FamilyFilter(family)}, fs...)...)
}

// Within passes the cells of a family of so long.
func Within(family string, d time.Duration) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(family), bigtable.TimestampRangeFilter(time.Now().Add(-d), time.Time{}))
}

// Since passes the cells of so long before a time.
func Since(now time.Time, d time.Duration) bigtable.Filter {
	return bigtable.TimestampRangeFilter(now.Add(-d), time.Time{})
}

// Live passes what expires after now.
func Live(now time.Time) bigtable.Filter { return bigtable.TimestampRangeFilter(now, time.Time{}) }

// Clock tells the time.
type Clock interface{ Now() time.Time }

// LiveBy is Live by a clock.
func LiveBy(c Clock) bigtable.Filter { return bigtable.TimestampRangeFilter(c.Now(), time.Time{}) }

// System is the clock of the system.
type System struct{}

func (System) Now() time.Time { return time.Now() }

// NewestWithin passes the newest cells of a family, if they are not older.
func NewestWithin(family string, d time.Duration) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(family), bigtable.TimestampRangeFilter(time.Now().Add(-d), time.Time{}), bigtable.LatestNFilter(1))
}
