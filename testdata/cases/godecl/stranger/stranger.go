// Package stranger does not import package schema: of its tables nothing is
// known here.
package stranger

import (
	"context"

	"cloud.google.com/go/bigtable"
)

func okWrite(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	mut.Set("item", "sku", bigtable.ServerTime, nil)
	return c.Open("carts").Apply(ctx, "k", mut)
}

func okRead(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("carts").ReadRow(ctx, "k")
}
