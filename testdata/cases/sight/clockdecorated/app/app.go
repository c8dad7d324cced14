// Package app gives a store its clock, which is right.
package app

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/clockdecorated/clock"
	"example.com/cases/sight/clockdecorated/store"
)

// Run uses a store.
func Run(ctx context.Context, c *bigtable.Client) error {
	s := store.Open(c, clock.System{}, clock.Later{Base: clock.Plain{}})
	if err := s.Stamped(ctx, "k"); err != nil {
		return err
	}
	_, _ = s.Dead(ctx, "k")
	_, _ = s.Live(ctx, "k")
	return s.Put(ctx, "k")
}
