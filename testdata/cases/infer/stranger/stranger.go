// Package stranger writes to the table of package policy without importing
// it: nothing is known here.
package stranger

import (
	"context"

	"cloud.google.com/go/bigtable"
)

func okWrite(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	mut.Set("voucher", "n", bigtable.ServerTime, nil)
	return c.Open("vouchers").Apply(ctx, "k", mut)
}
