// Package bt reads with a filter, or without one, as those who call its methods say.
package bt

import (
	"context"

	"cloud.google.com/go/bigtable"
)

type Table struct{ tbl *bigtable.Table }

func Open(c *bigtable.Client, name string) *Table { return &Table{c.Open(name)} }

func (t *Table) Get(ctx context.Context, key string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	return t.tbl.ReadRow(ctx, key, opts...)
}

func (t *Table) GetWith(ctx context.Context, key string, f bigtable.Filter) (bigtable.Row, error) {
	if f == nil {
		return t.Get(ctx, key)
	}
	return t.Get(ctx, key, bigtable.RowFilter(f))
}

func (t *Table) Newest(ctx context.Context, key string, all bool) (bigtable.Row, error) {
	if all {
		return t.Get(ctx, key)
	}
	return t.Get(ctx, key, bigtable.RowFilter(bigtable.LatestNFilter(1)))
}

// Whole reads without a filter, whoever calls it.
type Whole struct{ tbl *Table }

func NewWhole(t *Table) *Whole { return &Whole{t} }

func (w *Whole) Get(ctx context.Context, key string) (bigtable.Row, error) {
	if key == "" {
		return nil, nil
	}
	return w.tbl.Get(ctx, key)
}
