package atcalls

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/fixes/atcalls/kit"
)

// A range that a helper makes stays for the families that it is right for.
func hides(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(kit.Live(time.Now()))) // want `hides-other-families: .*"profile"`
}

func (s *store) hides(ctx context.Context) (bigtable.Row, error) {
	return s.tokens.Filtered(ctx, "k", kit.Live(s.now())) // want `hides-other-families: .*"profile"`
}

// One that has a clock of its own is no reason for another beside it.
func hidesTwo(ctx context.Context, c *bigtable.Client, clock kit.Clock) (bigtable.Row, error) {
	return c.Open("mixed").ReadRow(ctx, "k", bigtable.RowFilter(kit.Live(clock.Now()))) // want `hides-other-families: .*"seq"`
}
