// Package use calls what chooses by a map: what is wrong there is told there.
package use

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/lookedup"
	"example.com/cases/sight/lookedup/flags"
	"example.com/cases/sight/lookedup/held"
)

func write(ctx context.Context, c *bigtable.Client, fl *flags.Set, on map[string]bool) error {
	if err := lookedup.Param(ctx, c, "k", on); err != nil {
		return err
	}
	if _, err := held.Read(ctx, c, fl); err != nil {
		return err
	}
	return held.Write(ctx, c, fl)
}

func Write(ctx context.Context, c *bigtable.Client, fl *flags.Set, on map[string]bool) error {
	if err := lookedup.Param(ctx, c, "k", on); err != nil {
		return err
	}
	if _, err := held.Read(ctx, c, fl); err != nil {
		return err
	}
	return held.Write(ctx, c, fl)
}

func caches(c *bigtable.Client, fl *flags.Set) []*held.Cache {
	told := held.Tickets(c, fl)
	own := held.New(c.Open("tickets"), "ticket", fl) // want `missing-filter`
	return []*held.Cache{told, own}
}
