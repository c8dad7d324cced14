// Package lib has methods whose callers decide which of two times they write: what the
// constructor is given is wrong only for some of them.
package lib

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// S writes to a table that it is given.
type S struct {
	tbl *bigtable.Table
	ttl time.Duration
	now func() time.Time
}

// New makes an S.
func New(tbl *bigtable.Table, ttl time.Duration, now func() time.Time) *S { return &S{tbl, ttl, now} }

// Put writes what does not expire in time if it is told so.
func (s *S) Put(ctx context.Context, key string, raw bool) error {
	ts := s.now().Add(s.ttl)
	if raw {
		ts = s.now()
	}
	m := bigtable.NewMutation()
	m.Set("val", "a", bigtable.Time(ts), nil)
	return s.tbl.Apply(ctx, key, m)
}

// PutAt writes what expires at a time, or at once if it is given none.
func (s *S) PutAt(ctx context.Context, key string, at time.Time) error {
	if at.IsZero() {
		at = s.now()
	}
	m := bigtable.NewMutation()
	m.Set("val", "a", bigtable.Time(at), nil)
	return s.tbl.Apply(ctx, key, m)
}

// T writes what expires at once, whoever calls its method.
type T struct {
	tbl *bigtable.Table
	now func() time.Time
}

// NewT makes a T.
func NewT(tbl *bigtable.Table, now func() time.Time) *T { return &T{tbl, now} }

// Touch writes one of two columns.
func (t *T) Touch(ctx context.Context, key string, other bool) error {
	column := "a"
	if other {
		column = "b"
	}
	m := bigtable.NewMutation()
	m.Set("val", column, bigtable.Time(t.now()), nil)
	return t.tbl.Apply(ctx, key, m)
}
