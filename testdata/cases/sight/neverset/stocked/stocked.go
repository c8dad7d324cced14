// Package stocked is a store whose writes need what some programs never set.
package stocked

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// Limits are the lifetimes.
type Limits struct{ Hold time.Duration }

// Config is what programs fill.
type Config struct {
	Env    string
	Limits Limits
}

// Store keeps tokens.
type Store struct {
	ID     string
	tbl    *bigtable.Table
	limits Limits
}

// Open opens the store.
func Open(c *bigtable.Client, cfg *Config, id string) *Store {
	return &Store{ID: id, tbl: c.Open("sessions"), limits: cfg.Limits}
}

// Use writes a token.
func (s *Store) Use(ctx context.Context) error {
	m := bigtable.NewMutation()
	m.Set("token", "x", bigtable.Time(time.Now().Add(s.limits.Hold)), nil)
	return s.tbl.Apply(ctx, "k", m)
}

// Read reads what never expires.
func (s *Store) Read(ctx context.Context) error {
	_, err := s.tbl.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter("profile")))
	return err
}
