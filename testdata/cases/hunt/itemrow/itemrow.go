// Package itemrow takes a row's key from one of its cells.
package itemrow

import (
	"context"

	"cloud.google.com/go/bigtable"
)

// A scan that collects keys only.
func keys(ctx context.Context, c *bigtable.Client) (found []string, err error) {
	err = c.Open("sessions").ReadRows(ctx, bigtable.PrefixRange("u#"), func(row bigtable.Row) bool {
		found = append(found, row["token"][0].Row)
		return true
	})
	return found, err
}

func keysOfItem(ctx context.Context, c *bigtable.Client) (found []string, err error) {
	err = c.Open("sessions").ReadRows(ctx, bigtable.PrefixRange("u#"), func(row bigtable.Row) bool {
		first := row["token"][0]
		found = append(found, first.Row)
		return true
	})
	return found, err
}

// This one returns values.
func values(ctx context.Context, c *bigtable.Client) (found [][]byte, err error) {
	err = c.Open("sessions").ReadRows(ctx, bigtable.PrefixRange("u#"), func(row bigtable.Row) bool { // want `missing-filter: .*"token"`
		first := row["token"][0]
		found = append(found, first.Value)
		return true
	})
	return found, err
}
