// Package handcheckshapes: rows that are checked by hand in ways that are not
// seen as a comparison with a time. Wrong findings.
package handcheckshapes

import (
	"cmp"
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func compare(ctx context.Context, c *bigtable.Client) (n int, err error) {
	row, err := c.Open("freqcap").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter("cap"))) // ok ttlread/missing-filter
	for _, it := range row["cap"] {
		if cmp.Compare(it.Timestamp, bigtable.Now()) > 0 {
			n++
		}
	}
	return n, err
}

func truncated(ctx context.Context, c *bigtable.Client) (n int, err error) {
	row, err := c.Open("freqcap").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter("cap"))) // ok ttlread/missing-filter
	for _, it := range row["cap"] {
		if it.Timestamp.TruncateToMilliseconds() > bigtable.Now() {
			n++
		}
	}
	return n, err
}

func difference(ctx context.Context, c *bigtable.Client) (n int, err error) {
	row, err := c.Open("freqcap").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter("cap"))) // ok ttlread/missing-filter
	for _, it := range row["cap"] {
		if it.Timestamp-bigtable.Now() > 0 {
			n++
		}
	}
	return n, err
}

func plain(ctx context.Context, c *bigtable.Client) (n int, err error) {
	row, err := c.Open("freqcap").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter("cap"))) // ok ttlread/missing-filter
	for _, it := range row["cap"] {
		if it.Timestamp > bigtable.Now() {
			n++
		}
	}
	return n, err
}

type checker interface{ alive(bigtable.ReadItem) bool }

type clock struct{ now func() time.Time }

func (c clock) alive(it bigtable.ReadItem) bool { return it.Timestamp.Time().After(c.now()) }

func count(items []bigtable.ReadItem, c checker) (n int) {
	for _, it := range items {
		if c.alive(it) {
			n++
		}
	}
	return n
}

func viaInterface(ctx context.Context, c *bigtable.Client) (int, error) {
	row, err := c.Open("freqcap").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter("cap"))) // ok ttlread/missing-filter
	return count(row["cap"], clock{time.Now}), err
}

func viaMethod(ctx context.Context, c *bigtable.Client) (n int, err error) {
	row, err := c.Open("freqcap").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter("cap"))) // ok ttlread/missing-filter
	for _, it := range row["cap"] {
		if (clock{time.Now}).alive(it) {
			n++
		}
	}
	return n, err
}

var _ = []any{compare, truncated, difference, plain, viaInterface, viaMethod}
