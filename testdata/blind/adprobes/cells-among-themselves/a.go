// Package cellsamongthemselves: a helper compares two times, both from cells;
// it is taken for a check by hand. Missed.
package cellsamongthemselves

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func first(ctx context.Context, c *bigtable.Client) (t time.Time, err error) {
	row, err := c.Open("freqcap").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter("cap"))) // want ttlread/missing-filter
	for _, it := range row["cap"] {
		t = earlier(t, it.Timestamp.Time())
	}
	return t, err
}

func last(ctx context.Context, c *bigtable.Client) (t time.Time, err error) {
	row, err := c.Open("freqcap").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter("cap"))) // want ttlread/missing-filter
	for _, it := range row["cap"] {
		if it.Timestamp.Time().After(t) {
			t = it.Timestamp.Time()
		}
	}
	return t, err
}

var _ = []any{first, last}
