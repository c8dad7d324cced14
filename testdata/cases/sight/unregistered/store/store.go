// Package store is given tables by others.
package store

import (
	"context"

	"cloud.google.com/go/bigtable"
)

// Names of tables of which none is registered.
const (
	Drafts = "drafts"
	Notes  = "notes"
)

// Store keeps tokens of its own.
type Store struct{ tbl *bigtable.Table }

// Open opens one of the tables.
func Open(c *bigtable.Client, archived bool) *Store {
	if archived {
		return &Store{c.Open(Drafts)}
	}
	return &Store{c.Open(Notes)}
}

// Put writes a token of drafts or notes: neither is registered.
func (s *Store) Put(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "v", bigtable.Now(), nil)
	return s.tbl.Apply(ctx, key, mut)
}

// Get reads one.
func (s *Store) Get(ctx context.Context, key string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter("token")))
}

// Put writes into the table that it is given.
func Put(ctx context.Context, tbl *bigtable.Table, key string) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "v", bigtable.Now(), nil) // want `write-time: .*"token" \(table not known\)`
	return tbl.Apply(ctx, key, mut)
}
