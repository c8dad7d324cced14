// Package inner joins the objects of another package, and supplies nothing.
package inner

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/inner/web"
)

func run(ctx context.Context, c *bigtable.Client) error {
	store := web.NewStore(c)
	if _, err := web.NewServer(store).Debug(ctx, "k"); err != nil {
		return err
	}
	if _, err := web.OkDump(ctx, store, "k"); err != nil {
		return err
	}
	_, err := web.Dump(ctx, store, "k")
	return err
}

func whole(ctx context.Context, c *bigtable.Client) error {
	if _, err := web.DumpAny(ctx, web.NewOther(c), "k"); err != nil {
		return err
	}
	_, err := web.DumpAny(ctx, web.NewTickets(c), "k") // not seen
	return err
}
