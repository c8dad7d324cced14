// Package emptybuilder reads with filters that another package's builder puts together.
package emptybuilder

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/emptybuilder/view"
)

func latest(ctx context.Context, c *bigtable.Client) []bigtable.ReadItem {
	row, _ := c.Open("sessions").ReadRow(ctx, "k", view.Everything().Family("token").Latest(1).Option()) // want `missing-filter: .*"token"`
	return row["token"]
}

func profile(ctx context.Context, c *bigtable.Client) []bigtable.ReadItem {
	row, _ := c.Open("sessions").ReadRow(ctx, "k", view.Everything().Family("profile").Latest(1).Option())
	return row["profile"]
}
