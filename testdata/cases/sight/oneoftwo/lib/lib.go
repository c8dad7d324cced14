// Package lib has a set whose lifetime is an option.
package lib

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// A Set is a set.
type Set struct {
	tbl *bigtable.Table
	ttl time.Duration
}

// An Option is an option.
type Option func(*Set)

// WithTTL sets the lifetime.
func WithTTL(d time.Duration) Option { return func(s *Set) { s.ttl = d } }

// New makes a set.
func New(c *bigtable.Client, opts ...Option) *Set {
	s := &Set{tbl: c.Open("sessions"), ttl: time.Minute}
	for _, o := range opts {
		o(s)
	}
	return s
}

// First adds to a set.
func (s *Set) First(ctx context.Context, id string) error {
	m := bigtable.NewMutation()
	m.Set("token", "m", bigtable.Time(time.Now().Add(s.ttl)), nil)
	return s.tbl.Apply(ctx, id, m)
}
