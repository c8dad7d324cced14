// Package wrapped holds another package's wrappers of tables, and reads them by way
// of what holds the holder.
package wrapped

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/wrapped/bt"
)

// Store has one cache, whoever makes it.
type Store struct{ cache, any *bt.Table }

// NewStore opens the tables.
func NewStore(c *bt.Client, other string) *Store {
	return &Store{cache: c.Table("cache"), any: c.Table(other)}
}

// Server is given a store.
type Server struct{ store *Store }

// NewServer serves a store.
func NewServer(s *Store) *Server { return &Server{store: s} }

func (s *Server) dump(ctx context.Context) error {
	row, err := s.store.cache.Raw().ReadRow(ctx, "k") // want `missing-filter: .*"val" of table "cache"`
	println(len(row["val"]))
	return err
}

func (s *Server) okAny(ctx context.Context) error {
	row, err := s.store.any.Raw().ReadRow(ctx, "k") // who makes the store says which
	println(len(row["val"]))
	return err
}

// Pool has two kinds of tables in one field.
type Pool struct{ table *bt.Table }

// NewPool is a pool of the cache.
func NewPool(c *bt.Client) *Pool { return &Pool{c.Table("cache")} }

// NewLedgerPool is another.
func NewLedgerPool(c *bt.Client) *Pool { return &Pool{c.Table("history")} }

// User is given a pool.
type User struct{ pool *Pool }

// NewUser uses a pool.
func NewUser(p *Pool) *User { return &User{p} }

func (u *User) okEither(ctx context.Context) error {
	row, err := u.pool.table.Raw().ReadRow(ctx, "k", bigtable.RowFilter(bigtable.LatestNFilter(1)))
	println(len(row["val"]))
	return err
}
