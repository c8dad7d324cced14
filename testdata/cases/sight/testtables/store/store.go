// Package store is given its table by a test here, and by others elsewhere.
package store

import (
	"context"

	"cloud.google.com/go/bigtable"
)

// A Store writes tokens.
type Store struct{ tbl *bigtable.Table }

// New opens a table.
func New(client *bigtable.Client, name string) Store { return Store{client.Open(name)} }

// Put writes a token.
func (s Store) Put(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "v", bigtable.ServerTime, nil) // want `server-timestamp: .*"token" \(table not known\)`
	return s.tbl.Apply(ctx, key, mut)
}

// Count counts.
func (s Store) Count(ctx context.Context, key string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment("token", "n", 1) // want `read-modify-write: .*"token" \(table not known\)`
	_, err := s.tbl.ApplyReadModifyWrite(ctx, key, rmw)
	return err
}
