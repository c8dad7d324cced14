// Package h has a store of one family.
package h

import (
	"context"

	"cloud.google.com/go/bigtable"
)

type Store struct {
	tbl    *bigtable.Table
	family string
}

func New(c *bigtable.Client, table, family string) *Store {
	return &Store{tbl: c.Open(table), family: family}
}

func (s *Store) Write(ctx context.Context, key, column string, v []byte) error {
	m := bigtable.NewMutation()
	m.Set(s.family, column, bigtable.Now(), v)
	return s.tbl.Apply(ctx, key, m)
}

func (s *Store) Read(ctx context.Context, key string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter(s.family)))
}

// Open is a store whose fields anybody may set.
type Open struct {
	Table  *bigtable.Table
	Family string
}

func (s *Open) Write(ctx context.Context, key, column string, v []byte) error {
	m := bigtable.NewMutation()
	m.Set(s.Family, column, bigtable.Now(), v)
	return s.Table.Apply(ctx, key, m)
}
