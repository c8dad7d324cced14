// Package decorators reads through another package's decorators.
package decorators

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/decorators/dal"
)

func okGuarded(ctx context.Context, c *bigtable.Client) string {
	row, _ := dal.Guarded(c.Open("otp")).ReadRow(ctx, "k")
	return string(row["code"][0].Value)
}

func counted(ctx context.Context, c *bigtable.Client) string {
	row, _ := dal.Counted(c.Open("otp")).ReadRow(ctx, "k") // want `missing-filter: .*"code"`
	return string(row["code"][0].Value)
}

func logged(ctx context.Context, c *bigtable.Client) string {
	row, _ := dal.Logged(c.Open("otp")).ReadRow(ctx, "k") // want `missing-filter: .*"code"`
	return string(row["code"][0].Value)
}

type store struct{ live, raw dal.Reader }

func newStore(c *bigtable.Client) *store {
	return &store{live: dal.Guarded(c.Open("otp")), raw: c.Open("otp")}
}

func (s *store) okLive(ctx context.Context) string {
	row, _ := s.live.ReadRow(ctx, "k")
	return string(row["code"][0].Value)
}

func (s *store) dead(ctx context.Context) string {
	row, _ := s.raw.ReadRow(ctx, "k") // want `missing-filter: .*"code"`
	return string(row["code"][0].Value)
}
