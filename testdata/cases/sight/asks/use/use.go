// Package use calls what is wrong by itself.
package use

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/asks"
)

func okAll(ctx context.Context, c *bigtable.Client, s *asks.Service, key string) {
	_ = s.Extend(ctx, key)
	_ = asks.New(c).Hold(ctx, "k")
	_ = s.Take(ctx, key, false)
	_ = s.Count(ctx, key)
	_ = s.OkNoted(ctx, key, false)
}
