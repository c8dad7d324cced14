// Package toldseed calls what is wrong whoever calls it: a caller that happens to
// show a number adds no finding.
package toldseed

import (
	"context"

	"cloud.google.com/go/bigtable"
)

func seed(ctx context.Context, t *bigtable.Table, starter map[string]int) error {
	m := bigtable.NewMutation()
	m.Set("seq", "starter", bigtable.Timestamp(len(starter)), nil) // want `unscaled-sequence: .*"seq" of table "mixed"`
	return t.Apply(ctx, "k", m)
}

func okStart(ctx context.Context, c *bigtable.Client) error {
	return seed(ctx, c.Open("mixed"), map[string]int{"sword": 1})
}

func okListed(ctx context.Context, c *bigtable.Client) error {
	return through(ctx, c, map[string]int{"sword": 1, "shield": 2})
}

func through(ctx context.Context, c *bigtable.Client, starter map[string]int) error {
	return seed(ctx, c.Open("mixed"), starter)
}

func okAny(ctx context.Context, c *bigtable.Client, starter map[string]int) error {
	return seed(ctx, c.Open("mixed"), starter)
}

// count is right in a family of any numbers, as far as they are kept.
func count(ctx context.Context, t *bigtable.Table, items []string) error {
	m := bigtable.NewMutation()
	m.Set("sample", "n", bigtable.Timestamp(len(items)), nil)
	return t.Apply(ctx, "k", m)
}

func counts(ctx context.Context, c *bigtable.Client) error {
	return count(ctx, c.Open("metrics"), []string{"a", "b"}) // want `sub-millisecond: timestamp 2`
}

// two writes: one is wrong by itself, one by what it is given.
func two(ctx context.Context, t *bigtable.Table, items []string, ts bigtable.Timestamp) error {
	m := bigtable.NewMutation()
	m.Set("seq", "n", bigtable.Timestamp(len(items)), nil) // want `unscaled-sequence: .*"seq" of table "mixed"`
	m.Set("note", "n", ts, nil)
	return t.Apply(ctx, "k", m)
}

func twice(ctx context.Context, c *bigtable.Client) error {
	return two(ctx, c.Open("mixed"), []string{"a"}, 7) // want `sub-millisecond: timestamp 7`
}
