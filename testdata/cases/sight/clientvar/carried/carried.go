// Package carried hands its tables on in a context.
package carried

import (
	"context"

	"cloud.google.com/go/bigtable"
)

type key struct{}

type tables struct{ history, cache *bigtable.Table }

func With(ctx context.Context, c *bigtable.Client) context.Context {
	return context.WithValue(ctx, key{}, c)
}

func client(ctx context.Context) *bigtable.Client {
	c, _ := ctx.Value(key{}).(*bigtable.Client)
	return c
}

func Put(ctx context.Context, table, row, family string) error {
	m := bigtable.NewMutation()
	m.Set(family, "n", bigtable.Now(), nil)
	return client(ctx).Open(table).Apply(ctx, row, m)
}

type tablesKey struct{}

func WithTables(ctx context.Context, c *bigtable.Client) context.Context {
	return context.WithValue(ctx, tablesKey{}, &tables{history: c.Open("history"), cache: c.Open("cache")})
}

func PutHistory(ctx context.Context, row, family string) error {
	m := bigtable.NewMutation()
	m.Set(family, "n", bigtable.Now(), nil)
	return ctx.Value(tablesKey{}).(*tables).history.Apply(ctx, row, m)
}
