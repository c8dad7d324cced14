// Package withtests has findings in its tests, in-package and external.
package withtests

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// Put writes a token.
func Put(mut *bigtable.Mutation, ts bigtable.Timestamp) {
	mut.Set("token", "jwt", ts, nil)
}

func put(mut *bigtable.Mutation) {
	Put(mut, bigtable.ServerTime) // want `server-timestamp: .*"token"`
}

// Age returns the age of a balance.
func Age(row bigtable.Row) time.Duration {
	return time.Since(row["val"][0].Timestamp.Time())
}

func okAge(ctx context.Context, c *bigtable.Client) (time.Duration, error) {
	row, err := c.Open("wallets").ReadRow(ctx, "k")
	return Age(row), err
}
