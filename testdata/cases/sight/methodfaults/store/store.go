// Package store has an object whose methods share one read and one write: what is wrong
// with each hangs on the table that others give the object.
package store

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// Store keeps values in a table that its callers open.
type Store struct{ tbl *bigtable.Table }

// New is given the table.
func New(t *bigtable.Table) *Store { return &Store{t} }

func (s *Store) get(ctx context.Context, from time.Time) (string, error) {
	row, err := s.tbl.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(from, time.Time{})))
	if err != nil {
		return "", err
	}
	return string(row["val"][0].Value), nil
}

// Hour reads with a bound of its own.
func (s *Store) Hour(ctx context.Context) (string, error) {
	return s.get(ctx, time.Now().Add(-time.Hour))
}

// Day does, with another.
func (s *Store) Day(ctx context.Context) (string, error) {
	return s.get(ctx, time.Now().Add(-24*time.Hour))
}

// Now is right.
func (s *Store) Now(ctx context.Context) (string, error) { return s.get(ctx, time.Now()) }

func (s *Store) put(ctx context.Context, key string, ts bigtable.Timestamp) error {
	m := bigtable.NewMutation()
	m.Set("val", "v", ts, nil)
	return s.tbl.Apply(ctx, key, m)
}

// Put writes with a time of its own.
func (s *Store) Put(ctx context.Context) error { return s.put(ctx, "k", bigtable.Now()) }

// Touch does, with the same.
func (s *Store) Touch(ctx context.Context) error { return s.put(ctx, "k", bigtable.Now()) }

// Whole has all of its fault in one function, for several methods.
type Whole struct{ tbl *bigtable.Table }

// NewWhole is given the table.
func NewWhole(t *bigtable.Table) *Whole { return &Whole{t} }

func (w *Whole) read(ctx context.Context, key string) ([]byte, error) {
	row, err := w.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter("val")))
	if err != nil {
		return nil, err
	}
	return row["val"][0].Value, nil
}

// User reads one kind of key.
func (w *Whole) User(ctx context.Context, id string) ([]byte, error) { return w.read(ctx, "u#"+id) }

// Org reads another.
func (w *Whole) Org(ctx context.Context, id string) ([]byte, error) { return w.read(ctx, "o#"+id) }
