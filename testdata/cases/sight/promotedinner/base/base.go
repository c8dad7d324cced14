// Package base has what every store embeds.
package base

import (
	"context"

	"cloud.google.com/go/bigtable"
)

// Store reads and writes one family of a table.
type Store struct {
	Table  *bigtable.Table
	Family string
	Filter bigtable.Filter
}

// Load reads a row.
func (s *Store) Load(ctx context.Context, key string) (bigtable.Row, error) {
	var opts []bigtable.ReadOption
	if s.Filter != nil {
		opts = append(opts, bigtable.RowFilter(s.Filter))
	}
	return s.Table.ReadRow(ctx, key, opts...)
}

// Put writes a cell.
func (s *Store) Put(ctx context.Context, key string, ts bigtable.Timestamp) error {
	m := bigtable.NewMutation()
	m.Set(s.Family, "c", ts, nil)
	return s.Table.Apply(ctx, key, m)
}
