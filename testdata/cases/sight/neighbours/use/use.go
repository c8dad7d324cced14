// Package use makes the objects.
package use

import (
	"context"

	"cloud.google.com/go/bigtable"

	n "example.com/cases/sight/neighbours"
)

func okDefaults(ctx context.Context, c *bigtable.Client) {
	o := n.WrapOptioned(c)
	_ = o.Keep(ctx)
	_, _ = o.Get(ctx)
	_, _ = o.Dated(ctx)
	_ = n.NewOptioned(c.Open("mixed"))
	_, _ = n.WrapPointed(c, nil)
	_, _ = n.NewEmbedded(c).Dated(ctx)
	_, _ = n.Hot(c).Get(ctx)
	_ = n.Hot(c).Keep(ctx)
}

func okOrdinary(ctx context.Context, c *bigtable.Client) {
	o := n.NewOptioned(c.Open("sessions"), n.WithFamily("profile"))
	_ = o.Keep(ctx)
	_, _ = o.Get(ctx)
	_, _ = o.Dated(ctx)
}

func supplied(ctx context.Context, c *bigtable.Client) {
	o := n.WrapKept(c, n.KeptIn("hot")) // want `already-expired: .*"hot"`
	_ = o.Keep(ctx)
}
