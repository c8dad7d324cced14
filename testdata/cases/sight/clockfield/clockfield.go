// Package clockfield has a clock that its constructor is given as a function: what
// is wrong with it in a method, whichever clock that is, stands in the method.
package clockfield

import (
	"context"
	"errors"
	"time"

	"cloud.google.com/go/bigtable"
)

type Store struct {
	tbl *bigtable.Table
	now func() time.Time
}

func New(tbl *bigtable.Table, now func() time.Time) *Store { return &Store{tbl: tbl, now: now} }

func (s *Store) Assign(ctx context.Context, bed string) error {
	mut := bigtable.NewMutation()
	mut.Set("ticket", "nurse", bigtable.Time(s.now()), nil) // want `write-time`
	return s.tbl.Apply(ctx, bed, mut)
}

func (s *Store) Again(ctx context.Context, bed string) error {
	mut := bigtable.NewMutation()
	mut.Set("ticket", "again", bigtable.Time(s.now()), nil) // want `write-time`
	return s.tbl.Apply(ctx, bed, mut)
}

func (s *Store) Expire(ctx context.Context, bed string) error {
	mut := bigtable.NewMutation()
	mut.Set("ticket", "patient", bigtable.Time(s.now().Add(-time.Minute)), nil) // want `already-expired`
	return s.tbl.Apply(ctx, bed, mut)
}

func (s *Store) OkLive(ctx context.Context, bed string) error {
	mut := bigtable.NewMutation()
	mut.Set("ticket", "doctor", bigtable.Time(s.now().Add(time.Minute)), nil)
	return s.tbl.Apply(ctx, bed, mut)
}

// Moments has a function that nothing tells to be a clock: what it is given is what is wrong.
type Moments struct {
	tbl    *bigtable.Table
	moment func() time.Time
}

func NewMoments(tbl *bigtable.Table, moment func() time.Time) *Moments {
	return &Moments{tbl: tbl, moment: moment}
}

func (m *Moments) Assign(ctx context.Context, bed string) error {
	mut := bigtable.NewMutation()
	mut.Set("ticket", "nurse", bigtable.Time(m.moment()), nil)
	return m.tbl.Apply(ctx, bed, mut)
}

func (m *Moments) Expire(ctx context.Context, bed string) error {
	mut := bigtable.NewMutation()
	mut.Set("ticket", "patient", bigtable.Time(m.moment().Add(-time.Minute)), nil)
	return m.tbl.Apply(ctx, bed, mut)
}

// Own is given its clock here too.
type Own struct {
	tbl *bigtable.Table
	now func() time.Time
}

func NewOwn(tbl *bigtable.Table, now func() time.Time) *Own { return &Own{tbl: tbl, now: now} }

func (o *Own) Assign(ctx context.Context, bed string) error {
	mut := bigtable.NewMutation()
	mut.Set("ticket", "nurse", bigtable.Time(o.now()), nil) // want `write-time`
	return o.tbl.Apply(ctx, bed, mut)
}

func (o *Own) Expire(ctx context.Context, bed string) error {
	mut := bigtable.NewMutation()
	mut.Set("ticket", "patient", bigtable.Time(o.now().Add(-time.Minute)), nil) // want `already-expired`
	return o.tbl.Apply(ctx, bed, mut)
}

func okBoth(ctx context.Context, c *bigtable.Client) error {
	o := NewOwn(c.Open("tickets"), time.Now)
	return errors.Join(o.Assign(ctx, "1"), o.Expire(ctx, "1"))
}

// Stamped has its timestamp from its constructor.
type Stamped struct {
	tbl *bigtable.Table
	ts  bigtable.Timestamp
}

func NewStamped(tbl *bigtable.Table, ts bigtable.Timestamp) *Stamped { return &Stamped{tbl, ts} }

func (s *Stamped) Put(ctx context.Context) error {
	mut := bigtable.NewMutation()
	mut.Set("ticket", "nurse", s.ts, nil)
	return s.tbl.Apply(ctx, "k", mut)
}

func (s *Stamped) Earlier(ctx context.Context) error {
	mut := bigtable.NewMutation()
	mut.Set("ticket", "patient", s.ts-bigtable.Timestamp(time.Hour.Microseconds()), nil)
	return s.tbl.Apply(ctx, "k", mut)
}

func stamped(ctx context.Context, c *bigtable.Client) error {
	s := NewStamped(c.Open("tickets"), bigtable.Now()) // want `write-time` `already-expired`
	return errors.Join(s.Put(ctx), s.Earlier(ctx))
}
