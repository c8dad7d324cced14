// Package clocktypes is given clocks that are functions with methods: what is wrong with what
// a method tells, whichever clock that is, stands where it is asked.
package clocktypes

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/clocktypes/clock"
)

// Store has a clock of another package.
type Store struct {
	tbl  *bigtable.Table
	tick clock.Clock
}

// New makes a Store.
func New(c *bigtable.Client, tick clock.Clock) *Store {
	return &Store{tbl: c.Open("tickets"), tick: tick}
}

func (s *Store) Put(ctx context.Context) error {
	m := bigtable.NewMutation()
	m.Set("ticket", "a", bigtable.Time(s.tick.Now()), nil)                   // want `write-time`
	m.Set("ticket", "b", bigtable.Time(s.tick.Now().Add(-time.Minute)), nil) // want `already-expired`
	m.Set("ticket", "c", bigtable.Time(s.tick.Ago(time.Minute)), nil)        // want `already-expired`
	m.Set("ticket", "d", s.tick.TS(), nil)                                   // want `write-time`
	m.Set("ticket", "e", bigtable.Time(s.tick.Now().Add(time.Minute)), nil)
	m.Set("ticket", "f", bigtable.Time(s.tick.Ago(-time.Minute)), nil)
	return s.tbl.Apply(ctx, "k", m)
}

func (s *Store) Dead(ctx context.Context) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Time{}, s.tick.Now()))) // want `expired-only`
}

func (s *Store) Live(ctx context.Context) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(s.tick.Now(), time.Time{})))
}

// Named has a clock that tells the time by its name.
type Named struct {
	tbl  *bigtable.Table
	tick clock.Named
}

// NewNamed makes a Named.
func NewNamed(c *bigtable.Client, tick clock.Named) *Named {
	return &Named{tbl: c.Open("tickets"), tick: tick}
}

func (n *Named) Put(ctx context.Context) error {
	m := bigtable.NewMutation()
	m.Set("ticket", "a", bigtable.Time(n.tick.Now()), nil) // want `write-time`
	m.Set("ticket", "b", bigtable.Time(n.tick.Now().Add(time.Minute)), nil)
	return n.tbl.Apply(ctx, "k", m)
}

// Moment has something of which nothing says that it is a clock.
type Moment struct {
	tbl  *bigtable.Table
	tick clock.Moment
}

// NewMoment makes a Moment.
func NewMoment(c *bigtable.Client, tick clock.Moment) *Moment {
	return &Moment{tbl: c.Open("tickets"), tick: tick}
}

func (m *Moment) Put(ctx context.Context) error {
	mut := bigtable.NewMutation()
	mut.Set("ticket", "a", bigtable.Time(m.tick.At()), nil)
	return m.tbl.Apply(ctx, "k", mut)
}

// Until has something that tells other times than the current.
type Until struct {
	tbl *bigtable.Table
	end clock.Deadline
}

// NewUntil makes an Until.
func NewUntil(c *bigtable.Client, end clock.Deadline) *Until {
	return &Until{tbl: c.Open("tickets"), end: end}
}

func (u *Until) Put(ctx context.Context) error {
	m := bigtable.NewMutation()
	m.Set("ticket", "a", bigtable.Time(u.end.Now()), nil)
	return u.tbl.Apply(ctx, "k", m)
}

// local is a clock of this package.
type local func() time.Time

func (l local) Now() time.Time { return l() }

func system() local { return time.Now }

// Own has it.
type Own struct{ tick local }

// NewOwn makes an Own.
func NewOwn(tick local) *Own { return &Own{tick} }

func (o *Own) Put(m *bigtable.Mutation) {
	m.Set("ticket", "a", bigtable.Time(o.tick.Now()), nil) // want `write-time`
	m.Set("ticket", "b", bigtable.Time(o.tick.Now().Add(time.Minute)), nil)
}

// Sourced has an interface that functions of a type have.
type Sourced struct{ tick clock.Source }

// NewSourced makes a Sourced.
func NewSourced(tick clock.Source) *Sourced { return &Sourced{tick} }

func (s *Sourced) Put(m *bigtable.Mutation) {
	m.Set("ticket", "a", bigtable.Time(s.tick.Now()), nil) // want `write-time`
	m.Set("ticket", "b", bigtable.Time(s.tick.Now().Add(time.Minute)), nil)
}

// AsOf is given what an operator says, by a clock that always tells the same.
type AsOf struct{ tick clock.Clock }

func newAsOf(until time.Time) *AsOf { return &AsOf{tick: clock.Fixed(until)} }

func (a *AsOf) put(m *bigtable.Mutation) {
	m.Set("ticket", "a", bigtable.Time(a.tick.Now()), nil)
}

// Backfill is for other packages.
func Backfill(m *bigtable.Mutation, until time.Time) { newAsOf(until).put(m) }

func backfilled(m *bigtable.Mutation) {
	Backfill(m, time.Now().Add(time.Hour))
	Backfill(m, time.Now()) // want `write-time`
}
