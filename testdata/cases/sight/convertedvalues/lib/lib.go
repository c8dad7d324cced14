// Package lib has options and stamps whose types are those of times and structs by
// another name.
package lib

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// Settings say how a token is written.
type Settings struct {
	until  time.Time
	column string
}

// An Option changes settings.
type Option interface{ apply(*Settings) }

type until time.Time

func (u until) apply(s *Settings) { s.until = time.Time(u) }

// Until sets when a token expires.
func Until(t time.Time) Option { return until(t) }

type lasting time.Duration

func (l lasting) apply(s *Settings) { s.until = time.Now().Add(time.Duration(l)) }

// Lasting sets how long a token lives.
func Lasting(d time.Duration) Option { return lasting(d) }

// A Life begins and ends.
type Life struct{ From, To time.Time }

type during Life

func (d during) apply(s *Settings) { s.until = Life(d).To }

// During sets a token's life.
func During(l Life) Option { return during(l) }

// Hold writes a token.
func Hold(ctx context.Context, tbl *bigtable.Table, opts ...Option) error {
	s := Settings{until: time.Now().Add(time.Hour), column: "c"}
	for _, o := range opts {
		o.apply(&s)
	}
	m := bigtable.NewMutation()
	m.Set("token", s.column, bigtable.Time(s.until), nil)
	return tbl.Apply(ctx, "k", m)
}

func held(ctx context.Context, tbl *bigtable.Table) error {
	return Hold(ctx, tbl, Until(time.Now())) // want `write-time: .*"token"`
}

func okHeld(ctx context.Context, tbl *bigtable.Table) error {
	return Hold(ctx, tbl, Until(time.Now().Add(time.Minute)))
}

// A Stamp knows when a cell expires.
type Stamp interface{ At() time.Time }

type fixed time.Time

// At returns the time.
func (f fixed) At() time.Time { return time.Time(f) }

// Fixed returns the stamp of one time.
func Fixed(t time.Time) Stamp { return fixed(t) }

// Put writes a token.
func Put(ctx context.Context, tbl *bigtable.Table, s Stamp) error {
	m := bigtable.NewMutation()
	m.Set("token", "c", bigtable.Time(s.At()), nil)
	return tbl.Apply(ctx, "k", m)
}

func put(ctx context.Context, tbl *bigtable.Table) error {
	return Put(ctx, tbl, Fixed(time.Now())) // want `write-time: .*"token"`
}

func okPut(ctx context.Context, tbl *bigtable.Table) error {
	return Put(ctx, tbl, Fixed(time.Now().Add(time.Minute)))
}
