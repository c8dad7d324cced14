// Package onefinding has calls that are wrong in more than one way, or that
// reach more than one wrong call: one finding per call and family.
package onefinding

import (
	"context"

	"cloud.google.com/go/bigtable"
)

// Two filters, neither of which bounds the family.
func twoFilters(ctx context.Context, c *bigtable.Client, columns []string) (bigtable.Row, error) {
	var filter bigtable.Filter
	if len(columns) > 1 {
		filter = bigtable.InterleaveFilters(bigtable.ColumnFilter(columns[0]), bigtable.ColumnFilter(columns[1]))
	} else {
		filter = bigtable.ColumnFilter(columns[0])
	}
	return c.Open("tickets").ReadRow(ctx, "k", bigtable.RowFilter(filter)) // want `unfiltered-branch: .*"ticket"`
}

func fill(mut *bigtable.Mutation, ts bigtable.Timestamp) {
	mut.Set("token", "jwt", ts, nil)
	mut.Set("token", "refresh", ts, nil)
	mut.Set("token", "scope", ts, nil)
}

// One argument, one finding.
func helper(mut *bigtable.Mutation) {
	fill(mut, bigtable.Now()) // want `write-time: .*"token"`
}
