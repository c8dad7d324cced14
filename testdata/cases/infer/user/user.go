// Package user imports the package that sets the policy.
package user

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/infer/policy"
)

func write(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	mut.Set(policy.Family, "n", bigtable.ServerTime, nil) // want `server-timestamp: .*"voucher"`
	return c.Open(policy.Table).Apply(ctx, "k", mut)
}

func okWrite(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	mut.Set(policy.Family, "n", bigtable.Time(time.Now().Add(time.Hour)), nil)
	return c.Open(policy.Table).Apply(ctx, "k", mut)
}
