package conddel

import (
	"context"

	"cloud.google.com/go/bigtable"
)

func release(ctx context.Context, t *bigtable.Table, row, owner string) error {
	del := bigtable.NewMutation()
	del.DeleteCellsInFamily("lease")
	mine := bigtable.ChainFilters(bigtable.FamilyFilter("lease"), bigtable.ValueFilter(owner))
	return t.Apply(ctx, row, bigtable.NewCondMutation(mine, del, nil))
}

func handle(ctx context.Context, t *bigtable.Table, row, owner string) error {
	return release(ctx, t, row, owner)
}

func run(ctx context.Context, t *bigtable.Table, row, owner string) error {
	return handle(ctx, t, row, owner)
}

func Run(ctx context.Context, c *bigtable.Client, row, owner string) error {
	return run(ctx, c.Open("queue"), row, owner)
}

func two(ctx context.Context, t *bigtable.Table, row, owner string) error {
	defer func() { _ = release(ctx, t, row, owner) }()
	return nil
}

func Two(ctx context.Context, c *bigtable.Client, row, owner string) error {
	return two(ctx, c.Open("queue"), row, owner)
}
func three(ctx context.Context, t *bigtable.Table, row, owner string) error {
	f := func() error { return release(ctx, t, row, owner) }
	return f()
}

func Three(ctx context.Context, c *bigtable.Client, row, owner string) error {
	return three(ctx, c.Open("queue"), row, owner)
}
