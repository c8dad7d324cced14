// Package store has options that it completes by way of a pointer.
package store

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// Options are what a store is made with.
type Options struct {
	Family string
	At     bigtable.Timestamp
	TTL    time.Duration
	Stamp  func() bigtable.Timestamp
}

// Complete gives the fields that are left out their defaults.
func (o *Options) Complete() {
	if o.Family == "" {
		o.Family = "profile"
	}
	if o.At == 0 {
		o.At = bigtable.ServerTime
	}
	if o.TTL == 0 {
		o.TTL = time.Hour
	}
	if o.Stamp == nil {
		ttl := o.TTL
		o.Stamp = func() bigtable.Timestamp { return bigtable.Time(time.Now().Add(ttl)) }
	}
}

// A Store is made with them.
type Store struct {
	tbl  *bigtable.Table
	opts Options
}

// New completes them.
func New(c *bigtable.Client, o Options) *Store {
	o.Complete()
	return &Store{tbl: c.Open("sessions"), opts: o}
}

// Touch writes into the family.
func (s *Store) Touch(ctx context.Context, id string) error {
	m := bigtable.NewMutation()
	m.Set(s.opts.Family, "at", s.opts.At, nil)
	return s.tbl.Apply(ctx, id, m)
}

// Stamp writes a token.
func (s *Store) Stamp(ctx context.Context, id string) error {
	m := bigtable.NewMutation()
	m.Set("token", "jwt", s.opts.Stamp(), nil)
	return s.tbl.Apply(ctx, id, m)
}

func legacy(c *bigtable.Client) *Store {
	return New(c, Options{Family: "token"}) // want `server-timestamp: .*"token"`
}

func okUsual(c *bigtable.Client) *Store {
	return New(c, Options{TTL: time.Minute})
}
