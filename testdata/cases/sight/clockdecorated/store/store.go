// Package store writes and reads by a clock that it is given: some of that is wrong
// whichever it is.
package store

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/clockdecorated/clock"
)

// Store is a table with a clock.
type Store struct {
	tbl   *bigtable.Table
	clk   clock.Clock
	stamp clock.Stamp
}

// Open returns a store.
func Open(c *bigtable.Client, clk clock.Clock, stamp clock.Stamp) *Store {
	return &Store{c.Open("sessions"), clk, stamp}
}

// Put writes.
func (s *Store) Put(ctx context.Context, k string) error {
	m := bigtable.NewMutation()
	m.Set("token", "v", bigtable.Time(s.clk.Now()), nil) // want `write-time: .*"token"`
	m.Set("token", "w", bigtable.Time(s.clk.Now().Add(time.Hour)), nil)
	return s.tbl.Apply(ctx, k, m)
}

// Stamped writes what the stamp says, which may be right.
func (s *Store) Stamped(ctx context.Context, k string) error {
	m := bigtable.NewMutation()
	m.Set("token", "s", bigtable.Time(s.stamp.Of()), nil)
	return s.tbl.Apply(ctx, k, m)
}

// Kill writes what is dead.
func (s *Store) Kill(ctx context.Context, k string) error {
	m := bigtable.NewMutation()
	m.Set("token", "v", bigtable.Time(s.clk.Now().Add(-time.Minute)), nil) // want `already-expired: .*"token"`
	return s.tbl.Apply(ctx, k, m)
}

// Dead reads the dead.
func (s *Store) Dead(ctx context.Context, k string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, k, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Unix(0, 0), s.clk.Now())))) // want `expired-only: .*"token"`
}

// Live reads the living.
func (s *Store) Live(ctx context.Context, k string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, k, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(s.clk.Now(), time.Time{}))))
}
