// Package user takes tables from a struct of another package.
package user

import (
	"context"

	"cloud.google.com/go/bigtable"

	stock "example.com/cases/sight/structhandles"
)

type keeper struct {
	codes  *bigtable.Table
	values *bigtable.Table
	plain  *bigtable.Table
	shelf  *stock.Shelf
}

// Keep returns a keeper of what is on a shelf.
func Keep(s *stock.Shelf) *keeper {
	return &keeper{codes: s.Codes, values: s.Values, plain: s.Plain, shelf: s}
}

// Has is a test for existence.
func (k *keeper) Has(ctx context.Context, key string) (bool, error) {
	row, err := k.codes.ReadRow(ctx, key) // want `missing-filter: .*"code"`
	return len(row) > 0, err
}

// HasPlain asks a table without such families.
func (k *keeper) HasPlain(ctx context.Context, key string) (bool, error) {
	row, err := k.plain.ReadRow(ctx, key)
	return len(row) > 0, err
}

// Whole hands out a row.
func (k *keeper) Whole(ctx context.Context, key string) (bigtable.Row, error) {
	return k.shelf.Codes.ReadRow(ctx, key) // want `missing-filter: .*"code"`
}

// Late is opened after the others.
func (k *keeper) Late(ctx context.Context, key string) (bigtable.Row, error) {
	return k.shelf.Late.ReadRow(ctx, key) // want `missing-filter: .*"code"`
}

// Direct has the shelf as a parameter.
func Direct(ctx context.Context, s *stock.Shelf, key string) (bigtable.Row, error) {
	return s.Codes.ReadRow(ctx, key) // want `missing-filter: .*"code"`
}

// Twofold names a family that two tables have in two meanings.
func (k *keeper) Twofold(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set("val", "c", bigtable.Now(), nil) // want `clock-in-sequence: .*"val"`
	return k.values.Apply(ctx, key, m)
}

// Two may be either.
func (k *keeper) Two(ctx context.Context, key string) (bigtable.Row, error) {
	return k.shelf.Two.ReadRow(ctx, key)
}

// Any is not known.
func (k *keeper) Any(ctx context.Context, key string) (bigtable.Row, error) {
	return k.shelf.Any.ReadRow(ctx, key)
}

// Set gives a shelf another table.
func Set(s *stock.Shelf, c *bigtable.Client, name string) { s.Free = c.Open(name) }

// Free is set here, too.
func (k *keeper) Free(ctx context.Context, key string) (bigtable.Row, error) {
	return k.shelf.Free.ReadRow(ctx, key)
}
