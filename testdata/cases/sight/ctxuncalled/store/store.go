// Package store reads by the clock of a context.
package store

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type clock interface{ Now() time.Time }

type clockKey struct{}

func now(ctx context.Context) time.Time {
	if c, ok := ctx.Value(clockKey{}).(clock); ok {
		return c.Now()
	}
	return time.Now()
}

// Store reads a table whose name it does not know.
type Store struct{ tbl *bigtable.Table }

// New makes one.
func New(tbl *bigtable.Table) *Store { return &Store{tbl: tbl} }

// Quick reads from one moment on, whatever clock there is.
func (s *Store) Quick(ctx context.Context, key string) (n int, err error) {
	recent := bigtable.TimestampRangeFilter(now(ctx), time.Time{})
	row, err := s.tbl.ReadRow(ctx, key, bigtable.RowFilter(recent))
	return len(row["val"]), err
}

// Chosen is given what decides whether it reads from one moment on.
type Chosen struct {
	tbl    *bigtable.Table
	recent bool
}

// NewChosen makes one.
func NewChosen(tbl *bigtable.Table, recent bool) *Chosen { return &Chosen{tbl, recent} }

// Quick reads as it was chosen.
func (s *Chosen) Quick(ctx context.Context, key string) (n int, err error) {
	var start time.Time
	if s.recent {
		start = now(ctx)
	}
	row, err := s.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.TimestampRangeFilter(start, time.Time{})))
	return len(row["val"]), err
}
