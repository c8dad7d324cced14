// Package callbacksmerged: a helper is given a callback; the check that one
// caller's callback makes silences the reads of other callers. Missed.
package callbacksmerged

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func filter[T any](items []T, keep func(T) bool) (out []T) {
	for _, it := range items {
		if keep(it) {
			out = append(out, it)
		}
	}
	return out
}

func checked(ctx context.Context, c *bigtable.Client) (int, error) {
	row, err := c.Open("freqcap").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter("cap"))) // ok ttlread/missing-filter
	now := time.Now()
	return len(filter(row["cap"], func(it bigtable.ReadItem) bool { return it.Timestamp.Time().After(now) })), err
}

func unchecked(ctx context.Context, c *bigtable.Client) (int, error) {
	row, err := c.Open("freqcap").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter("cap"))) // want ttlread/missing-filter
	return len(filter(row["cap"], func(it bigtable.ReadItem) bool { return len(it.Value) > 1 })), err
}

var _ = []any{checked, unchecked}
