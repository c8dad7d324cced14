// Package overriddenkeys collects keys to delete with filters that do not add
// up: the last one applies, and rows of all families are collected.
package overriddenkeys

import (
	"context"

	"cloud.google.com/go/bigtable"
)

func keys(ctx context.Context, c *bigtable.Client) (found []string, err error) {
	err = c.Open("sessions").ReadRows(ctx, bigtable.PrefixRange("u#"), func(row bigtable.Row) bool { // want `overridden-filter: `
		found = append(found, row.Key())
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter("token")), bigtable.RowFilter(bigtable.StripValueFilter()))
	return found, err
}
