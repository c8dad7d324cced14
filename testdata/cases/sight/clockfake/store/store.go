// Package store writes and reads by the clock that it is given: what is wrong is so with
// each that tells the time.
package store

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/clockfake/clock"
)

// A Store is a table with a clock.
type Store struct {
	tbl   *bigtable.Table
	clock clock.Clock
}

// New returns a store.
func New(c *bigtable.Client, clk clock.Clock) *Store {
	return &Store{tbl: c.Open("sessions"), clock: clk}
}

// Touch forgets the lifetime.
func (s *Store) Touch(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "seen", bigtable.Time(s.clock.Now()), nil) // want `write-time: .*"token"`
	return s.tbl.Apply(ctx, key, mut)
}

// Keep does not.
func (s *Store) Keep(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "seen", bigtable.Time(s.clock.Now().Add(time.Hour)), nil)
	return s.tbl.Apply(ctx, key, mut)
}

// Live reads what is live.
func (s *Store) Live(ctx context.Context, key string) (int, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(s.clock.Now(), time.Time{}))
	row, err := s.tbl.ReadRow(ctx, key, bigtable.RowFilter(f))
	return len(row["token"]), err
}

// Dead reads what is not.
func (s *Store) Dead(ctx context.Context, key string) (int, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Time{}, s.clock.Now()))
	row, err := s.tbl.ReadRow(ctx, key, bigtable.RowFilter(f)) // want `expired-only: .*"token"`
	return len(row["token"]), err
}
