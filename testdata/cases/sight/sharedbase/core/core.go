// Package core has a base of what accesses a table.
package core

import (
	"context"

	"cloud.google.com/go/bigtable"
)

type Base struct{ table *bigtable.Table }

func NewBase(c *bigtable.Client, name string) Base { return Base{table: c.Open(name)} }

func (b *Base) Exists(ctx context.Context, key string) (bool, error) {
	row, err := b.table.ReadRow(ctx, key, bigtable.RowFilter(bigtable.StripValueFilter()))
	return len(row) > 0, err
}

func (b *Base) Save(ctx context.Context, key string, m *bigtable.Mutation) error {
	return b.table.Apply(ctx, key, m)
}
