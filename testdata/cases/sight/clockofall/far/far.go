// Package far takes a clock of another package as an option.
package far

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/clockofall/bt"
)

// Table is what a store uses.
type Table interface {
	bt.Reader
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
}

// Store keeps tokens.
type Store struct {
	tbl   Table
	clock bt.Clock
}

// Option changes a store.
type Option func(*Store)

// WithClock takes another clock.
func WithClock(c bt.Clock) Option { return func(s *Store) { s.clock = c } }

// New makes a store.
func New(tbl Table, opts ...Option) *Store {
	s := &Store{tbl: tbl, clock: bt.System}
	for _, o := range opts {
		o(s)
	}
	return s
}

func (s *Store) Revoke(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set("token", "revoked", s.clock.TS(), nil) // want `write-time`
	return s.tbl.Apply(ctx, key, m)
}

func (s *Store) Put(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set("token", "v", bigtable.Time(s.clock().Add(time.Hour)), nil)
	return s.tbl.Apply(ctx, key, m)
}

func (s *Store) Live(ctx context.Context, key string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(s.clock(), time.Time{}))))
}

func (s *Store) Dead(ctx context.Context, key string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Time{}, s.clock())))) // want `expired-only`
}

func (s *Store) DeadCells(ctx context.Context, f func(bigtable.Row)) {
	dead := bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Time{}, s.clock()))
	for r := range bt.Rows(ctx, s.tbl, bigtable.InfiniteRange(""), bigtable.RowFilter(dead)) { // want `expired-only`
		f(r)
	}
}

// Cache has its settings inside.
type Cache struct {
	tbl Table
	settings
}

type settings struct{ clock bt.Clock }

// NewCache makes a cache.
func NewCache(tbl Table) *Cache { return &Cache{tbl: tbl, settings: settings{clock: bt.System}} }

func (c *Cache) put(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set("token", "v", c.clock.TS(), nil) // want `write-time`
	m.Set("profile", "v", c.clock.TS(), nil)
	return c.tbl.Apply(ctx, key, m)
}
