// Package checkbyinterface: the helper's interface has two implementations, one
// of which is never given to it; the check of the other is not counted. Wrong finding.
package checkbyinterface

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type checker interface{ alive(bigtable.ReadItem) bool }

type clock struct{ now func() time.Time }

func (c clock) alive(it bigtable.ReadItem) bool { return it.Timestamp.Time().After(c.now()) }

type nonEmpty struct{}

func (nonEmpty) alive(it bigtable.ReadItem) bool { return len(it.Value) > 0 }

func count(items []bigtable.ReadItem, c checker) (n int) {
	for _, it := range items {
		if c.alive(it) {
			n++
		}
	}
	return n
}

func checked(ctx context.Context, c *bigtable.Client) (int, error) {
	row, err := c.Open("freqcap").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter("cap"))) // ok ttlread/missing-filter
	return count(row["cap"], clock{time.Now}), err
}

func unchecked(ctx context.Context, c *bigtable.Client) (n int, err error) {
	row, err := c.Open("freqcap").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter("cap"))) // want ttlread/missing-filter
	for _, it := range row["cap"] {
		if (nonEmpty{}).alive(it) {
			n++
		}
	}
	return n, err
}

var _ = []any{checked, unchecked}
