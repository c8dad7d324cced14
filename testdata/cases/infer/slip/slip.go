// Package slip forgot the unit of an age: that is a slip, and marks no family.
package slip

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func create(ctx context.Context, ac *bigtable.AdminClient) error {
	if err := ac.SetGCPolicy(ctx, "reports", "report", bigtable.MaxAgePolicy(86400)); err != nil { // want `age-unit: `
		return err
	}
	if err := ac.SetGCPolicy(ctx, "reports", "draft", bigtable.MaxAgePolicy(7776000)); err != nil { // want `age-unit: `
		return err
	}
	return ac.SetGCPolicy(ctx, "reports", "summary", bigtable.MaxAgePolicy(2*time.Second))
}

func okWrite(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	mut.Set("report", "n", bigtable.ServerTime, nil)
	mut.Set("draft", "n", bigtable.Now(), nil)
	mut.Set("summary", "n", bigtable.Now(), nil)
	return c.Open("reports").Apply(ctx, "k", mut)
}

func okRead(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("reports").ReadRow(ctx, "k")
}
