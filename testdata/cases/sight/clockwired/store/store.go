// Package store keeps sessions.
package store

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/clockwired/ports"
)

// Store keeps sessions.
type Store struct {
	tbl *bigtable.Table
	clk ports.Clock
	src ports.TimeSource
	ttl time.Duration
}

// Option sets up a store.
type Option func(*Store)

// WithTTL sets the lifetime.
func WithTTL(d time.Duration) Option { return func(s *Store) { s.ttl = d } }

// WithClock sets the clock.
func WithClock(c ports.Clock) Option { return func(s *Store) { s.clk = c } }

// New makes a store.
func New(c *bigtable.Client, src ports.TimeSource, opts ...Option) *Store {
	s := &Store{tbl: c.Open("sessions"), clk: ports.System{}, src: src}
	for _, o := range opts {
		o(s)
	}
	return s
}

// Default makes a store with the system's clock.
func Default(c *bigtable.Client) *Store { return New(c, time.Now, WithTTL(time.Hour)) }

// Put writes.
func (s *Store) Put(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set("token", "a", bigtable.Time(s.clk.Now()), nil) // want `write-time: .*"token"`
	m.Set("token", "b", bigtable.Time(s.src()), nil)     // want `write-time: .*"token"`
	m.Set("token", "c", bigtable.Time(s.clk.Now().Add(s.ttl)), nil)
	return s.tbl.Apply(ctx, key, m)
}

// Get reads.
func (s *Store) Get(ctx context.Context, key string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("token"),
		bigtable.TimestampRangeFilter(s.clk.Now().Add(-time.Hour), time.Time{})))) // want `wrong-bound: .*"token"`
}

// Expiry is when something written now expires.
func (s *Store) Expiry() bigtable.Timestamp { return bigtable.Time(s.clk.Now()) }

// Write writes a family.
func Write(m *bigtable.Mutation, family string, clk ports.Clock) {
	m.Set(family, "v", bigtable.Time(clk.Now()), nil)
}
