package getgeneric

import (
	"context"

	"cloud.google.com/go/bigtable"
)

func get[T any](ctx context.Context, t *bigtable.Table, k string, decode func(bigtable.Row) T) (v T) {
	row, err := t.ReadRow(ctx, k)
	if err != nil {
		return v
	}
	return decode(row)
}

func owner(r bigtable.Row) int { return len(r["owner"]) }

func Owner(ctx context.Context, c *bigtable.Client, k string) int {
	return get(ctx, c.Open("carts"), k, owner) // silent
}

type decoder interface{ decode(bigtable.Row) error }

type cart struct{ owner string }

func (c *cart) decode(r bigtable.Row) error {
	for _, it := range r["owner"] {
		c.owner = string(it.Value)
	}
	return nil
}

func load(ctx context.Context, t *bigtable.Table, k string, d decoder) error {
	row, err := t.ReadRow(ctx, k)
	if err != nil {
		return err
	}
	return d.decode(row)
}

func Cart(ctx context.Context, c *bigtable.Client, k string) (v cart, err error) {
	return v, load(ctx, c.Open("carts"), k, &v) // silent
}
