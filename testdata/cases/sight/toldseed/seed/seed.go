// Package seed writes how many there are.
package seed

import (
	"context"

	"cloud.google.com/go/bigtable"
)

// Seed is wrong whoever calls it.
func Seed(ctx context.Context, t *bigtable.Table, starter map[string]int) error {
	m := bigtable.NewMutation()
	m.Set("seq", "starter", bigtable.Timestamp(len(starter)), nil) // want `unscaled-sequence: .*"seq"`
	return t.Apply(ctx, "k", m)
}

// Count writes to a family of ordinary cells.
func Count(ctx context.Context, t *bigtable.Table, items []string) error {
	m := bigtable.NewMutation()
	m.Set("sample", "n", bigtable.Timestamp(len(items)), nil)
	return t.Apply(ctx, "k", m)
}

// Page is wrong for some tables.
func Page(ctx context.Context, t *bigtable.Table, items []string) error {
	m := bigtable.NewMutation()
	m.Set("page", "n", bigtable.Timestamp(len(items)), nil)
	return t.Apply(ctx, "k", m)
}
