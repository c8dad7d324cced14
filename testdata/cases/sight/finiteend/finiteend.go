// Package finiteend ends ranges some time from now, by lengths that nobody in view
// supplies: where no usual lifetime is registered, whatever ends hides live cells.
package finiteend

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func within(ctx context.Context, c *bigtable.Client, d time.Duration) (int, error) {
	now := time.Now()
	f := bigtable.ChainFilters(bigtable.FamilyFilter("code"), bigtable.TimestampRangeFilter(now, now.Add(d)))
	row, err := c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(f)) // want `upper-bound: .*"code"`
	return len(row["code"]), err
}

// okUsual may end when all that is usual has expired.
func okUsual(ctx context.Context, c *bigtable.Client, d time.Duration) (int, error) {
	now := time.Now()
	f := bigtable.ChainFilters(bigtable.FamilyFilter("ticket"), bigtable.TimestampRangeFilter(now, now.Add(d)))
	row, err := c.Open("tickets").ReadRow(ctx, "k", bigtable.RowFilter(f))
	return len(row["ticket"]), err
}

// okOpen ends only where a length is given.
func okOpen(ctx context.Context, c *bigtable.Client, d time.Duration) (int, error) {
	now, end := time.Now(), time.Time{}
	if d > 0 {
		end = now.Add(d)
	}
	f := bigtable.ChainFilters(bigtable.FamilyFilter("code"), bigtable.TimestampRangeFilter(now, end))
	row, err := c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(f))
	return len(row["code"]), err
}

// okGiven is given the end.
func okGiven(ctx context.Context, c *bigtable.Client, end time.Time) (int, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter("code"), bigtable.TimestampRangeFilter(time.Now(), end))
	row, err := c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(f))
	return len(row["code"]), err
}
