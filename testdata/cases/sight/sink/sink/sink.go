// Package sink applies mutations that others send.
package sink

import (
	"context"

	"cloud.google.com/go/bigtable"
)

// Write is one.
type Write struct {
	key string
	mut *bigtable.Mutation
}

// Sink marks what it is sent.
type Sink struct {
	tbl    *bigtable.Table
	in     chan Write
	family string
	at     func() bigtable.Timestamp
}

// New returns one that runs.
func New(t *bigtable.Table, family string, at func() bigtable.Timestamp) *Sink {
	return &Sink{tbl: t, family: family, at: at, in: make(chan Write, 8)}
}

// Run runs.
func (s *Sink) Run(ctx context.Context) error {
	for w := range s.in {
		w.mut.Set(s.family, "mark", s.at(), nil)
		if err := s.tbl.Apply(ctx, w.key, w.mut); err != nil {
			return err
		}
	}
	return nil
}

// Other marks one mutation and applies another.
type Other struct{ tbl *bigtable.Table }

// NewOther returns one.
func NewOther(t *bigtable.Table) *Other { return &Other{t} }

// Run runs.
func (o *Other) Run(ctx context.Context, a, b *Write) error {
	a.mut.Set("ticket", "mark", bigtable.ServerTime, nil) // want `server-timestamp`
	a.mut = b.mut
	return o.tbl.Apply(ctx, a.key, a.mut)
}

func sent(mut *bigtable.Mutation) *bigtable.Mutation { return mut }

// Helped is a Sink that sends by way of a helper.
type Helped struct {
	tbl    *bigtable.Table
	in     chan Write
	family string
	at     func() bigtable.Timestamp
}

// NewHelped returns one that runs.
func NewHelped(t *bigtable.Table, family string, at func() bigtable.Timestamp) *Helped {
	return &Helped{tbl: t, family: family, at: at, in: make(chan Write, 8)}
}

// Run runs.
func (s *Helped) Run(ctx context.Context) error {
	for w := range s.in {
		w.mut.Set(s.family, "mark", s.at(), nil)
		if err := s.tbl.Apply(ctx, w.key, sent(w.mut)); err != nil {
			return err
		}
	}
	return nil
}
