// Package conditional decides by dead cells.
package conditional

import (
	"context"

	"cloud.google.com/go/bigtable"
)

func claim(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	mut.Set("profile", "claimed", bigtable.Now(), nil)
	return c.Open("otp").Apply(ctx, "k", bigtable.NewCondMutation(bigtable.ColumnFilter("otp"), nil, mut)) // want `conditional-mutation: .*"code"`
}
