package fixmixed

import (
	"context"

	"cloud.google.com/go/bigtable"
)

// carts: item one-second, owner real. All use both families.

func Latest(ctx context.Context, c *bigtable.Client, k string) (a, b int) {
	row, _ := c.Open("carts").ReadRow(ctx, k, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want `missing-filter: .*"item"`
	return len(row["item"]), len(row["owner"])
}

func None(ctx context.Context, c *bigtable.Client, k string) (a, b int) {
	row, _ := c.Open("carts").ReadRow(ctx, k) // want `missing-filter: .*"item"`
	return len(row["item"]), len(row["owner"])
}

func Column(ctx context.Context, c *bigtable.Client, k string) bigtable.Row {
	row, _ := c.Open("carts").ReadRow(ctx, k, bigtable.RowFilter(bigtable.ColumnFilter("a"))) // want `missing-filter: .*"item"`
	return row
}

func Families(ctx context.Context, c *bigtable.Client, k string) bigtable.Row {
	row, _ := c.Open("carts").ReadRow(ctx, k, bigtable.RowFilter(bigtable.FamilyFilter("item|owner"))) // want `missing-filter: .*"item"`
	return row
}

func Cond(ctx context.Context, c *bigtable.Client, k string) error {
	set := bigtable.NewMutation()
	set.Set("owner", "email", bigtable.Now(), nil)
	return c.Open("carts").Apply(ctx, k, bigtable.NewCondMutation(bigtable.PassAllFilter(), nil, set)) // want `conditional-mutation: .*"item"`
}

func Sequence(ctx context.Context, c *bigtable.Client, k string) (a, b int) {
	row, _ := c.Open("eu-journal").ReadRow(ctx, k, bigtable.RowFilter(bigtable.FamilyFilter("entry|meta"))) // want `version-limit: .*"entry"`
	return len(row["entry"]), len(row["meta"])
}
