// Package use calls what is wrong by itself.
package use

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/zb2_asks"
)

func okAll(ctx context.Context, c *bigtable.Client, s *zb2_asks.Service, key string) {
	_ = s.Extend(ctx, key)
	_ = zb2_asks.New(c).Hold(ctx, "k")
	_ = s.Take(ctx, key, false)
	_ = s.Count(ctx, key)
	_ = s.OkNoted(ctx, key, false)
}
