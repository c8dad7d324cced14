// Package store has methods that are wrong for some tables.
package store

import (
	"context"

	"cloud.google.com/go/bigtable"
)

// A Store reads values.
type Store struct{ tbl *bigtable.Table }

// New opens a table.
func New(client *bigtable.Client, name string) *Store { return &Store{client.Open(name)} }

// Get reads a value.
func (s *Store) Get(ctx context.Context, key string) (string, error) {
	row, err := s.tbl.ReadRow(ctx, key)
	if err != nil {
		return "", err
	}
	return string(row["val"][0].Value), nil
}
