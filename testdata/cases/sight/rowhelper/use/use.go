// Package use makes the objects and reads by them.
package use

import (
	"context"

	"cloud.google.com/go/bigtable"

	rowhelper "example.com/cases/sight/rowhelper"
)

func okMade(ctx context.Context, client *bigtable.Client, row bigtable.Row) (pages []rowhelper.Page) {
	c := rowhelper.New(client, "")
	page, _ := c.Get(ctx)
	return append(pages, page, c.Decode(row))
}

func okFixed(ctx context.Context, client *bigtable.Client) {
	f := rowhelper.NewFixed(client)
	_, _ = f.Get(ctx, 3)
	_, _ = f.Keep(ctx), f.Keep2(ctx)
	_, _ = f.Read(ctx)
	_ = f.Since(ctx)
	_, _ = rowhelper.NewEvents(client).Get(ctx)
}

func okHandler(client *bigtable.Client, family string) func(context.Context) {
	c := rowhelper.New(client, family)
	return func(ctx context.Context) { _, _ = c.Get(ctx) }
}
