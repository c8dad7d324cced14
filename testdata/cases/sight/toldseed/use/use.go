// Package use calls what is wrong in another package.
package use

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/toldseed/seed"
)

func okStart(ctx context.Context, c *bigtable.Client) error {
	return seed.Seed(ctx, c.Open("mixed"), map[string]int{"sword": 1})
}

func okThrough(ctx context.Context, c *bigtable.Client) error {
	return through(ctx, c, map[string]int{"sword": 1})
}

func through(ctx context.Context, c *bigtable.Client, starter map[string]int) error {
	return seed.Seed(ctx, c.Open("mixed"), starter)
}

func counts(ctx context.Context, c *bigtable.Client) error {
	return seed.Count(ctx, c.Open("metrics"), []string{"a", "b"}) // want `sub-millisecond: timestamp 2`
}

func pages(ctx context.Context, c *bigtable.Client) error {
	return seed.Page(ctx, c.Open("my-diary"), []string{"a"}) // want `unscaled-sequence: .*"page" of table "\*-diary"`
}
