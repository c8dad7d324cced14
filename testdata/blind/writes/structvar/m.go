package structvar

import (
	"context"

	"cloud.google.com/go/bigtable"
)

type column struct{ family, qualifier string }

var (
	views    = column{"plain", "views"}
	failures = column{"hot", "failures"}
	position = column{"seq", "position"}
)

func inc(ctx context.Context, t *bigtable.Table, c column) error {
	r := bigtable.NewReadModifyWrite()
	r.Increment(c.family, c.qualifier, 1) // two findings stand here
	_, err := t.ApplyReadModifyWrite(ctx, "k", r)
	return err
}

func Use(ctx context.Context, c *bigtable.Client) {
	t := c.Open("mixed")
	_ = inc(ctx, t, views)
	_ = inc(ctx, t, failures) // want `read-modify-write: .*"hot"`
	_ = inc(ctx, t, position) // want `read-modify-write: .*"seq"`
}
