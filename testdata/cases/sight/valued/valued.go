// Package valued limits the versions after a filter of values, in a family that
// keeps several: the newest that passes may be one that is superseded.
package valued

import (
	"context"

	"cloud.google.com/go/bigtable"
)

func read(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter("entry"), bigtable.ValueFilter("pending"), bigtable.LatestNFilter(1))
	return c.Open("eu-ledger").ReadRow(ctx, "k", bigtable.RowFilter(f)) // want `version-limit`
}

func limitFirst(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter("entry"), bigtable.LatestNFilter(3), bigtable.ValueFilter("pending"), bigtable.LatestNFilter(1))
	return c.Open("eu-ledger").ReadRow(ctx, "k", bigtable.RowFilter(f))
}

func approve(ctx context.Context, c *bigtable.Client, n int64) error {
	f := bigtable.ChainFilters(bigtable.FamilyFilter("entry"), bigtable.ColumnFilter("status"), bigtable.ValueFilter("pending"), bigtable.LatestNFilter(1))
	set := bigtable.NewMutation()
	set.Set("entry", "status", bigtable.Timestamp(n*1000), nil)
	return c.Open("eu-ledger").Apply(ctx, "k", bigtable.NewCondMutation(f, set, nil)) // want `conditional-mutation`
}

func reject(ctx context.Context, c *bigtable.Client, n int64) error {
	f := bigtable.ChainFilters(bigtable.FamilyFilter("entry"), bigtable.ColumnFilter("status"), bigtable.LatestNFilter(1), bigtable.ValueFilter("pending"))
	set := bigtable.NewMutation()
	set.Set("entry", "status", bigtable.Timestamp(n*1000), nil)
	return c.Open("eu-ledger").Apply(ctx, "k", bigtable.NewCondMutation(f, set, nil))
}
