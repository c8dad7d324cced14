// Package hooks keeps method values of clocks that it is given: what they tell, they tell
// wherever the clock comes from.
package hooks

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/boundclocks/clock"
)

// Deliveries has a clock.
type Deliveries struct {
	tbl *bigtable.Table
	clk clock.Clock
}

// New makes Deliveries.
func New(tbl *bigtable.Table, clk clock.Clock) *Deliveries { return &Deliveries{tbl, clk} }

// Batcher has what the clock of Deliveries tells.
type Batcher struct {
	tbl *bigtable.Table
	now func() time.Time
}

// NewBatcher makes a Batcher.
func NewBatcher(d *Deliveries) *Batcher { return &Batcher{d.tbl, d.clk.Now} }

func (b *Batcher) failed() *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.Set("token", "state", bigtable.Time(b.now()), nil) // want `write-time: .*"token".* uses the current time`
	m.Set("token", "next", bigtable.Time(b.now().Add(time.Minute)), nil)
	return m
}

// Report writes.
func (b *Batcher) Report(ctx context.Context, key string) error {
	return b.tbl.Apply(ctx, key, b.failed())
}

// A Ticker is an interface of this package, which no type here implements.
type Ticker interface{ Now() time.Time }

// Own has what a Ticker tells.
type Own struct {
	tbl  *bigtable.Table
	read func() time.Time
}

// NewOwn makes an Own.
func NewOwn(tbl *bigtable.Table, t Ticker) *Own { return &Own{tbl, t.Now} }

// Failed writes.
func (o *Own) Failed(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set("token", "state", bigtable.Time(o.read()), nil) // want `write-time: .*"token".* uses the current time`
	m.Set("token", "next", bigtable.Time(o.read().Add(time.Minute)), nil)
	return o.tbl.Apply(ctx, key, m)
}

// A Deadline tells another time, as a type of this package shows.
type Deadline interface{ Clock() time.Time }

// Later tells a time to come.
type Later struct{ ttl time.Duration }

// Clock is when something that is made now expires.
func (l *Later) Clock() time.Time { return time.Now().Add(time.Hour) }

// Until has what a Deadline tells.
type Until struct {
	tbl *bigtable.Table
	now func() time.Time
}

// NewUntil makes an Until.
func NewUntil(tbl *bigtable.Table, d Deadline) *Until { return &Until{tbl, d.Clock} }

var _ = NewUntil(nil, &Later{})

// okFailed writes: when it expires is what it is given.
func (u *Until) okFailed(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set("token", "state", bigtable.Time(u.now()), nil)
	return u.tbl.Apply(ctx, key, m)
}

// A Source is no clock by its name, and nothing is known of what implements it.
type Source interface{ Expires() time.Time }

// Sourced has what a Source tells.
type Sourced struct {
	tbl *bigtable.Table
	at  func() time.Time
}

// NewSourced makes a Sourced.
func NewSourced(tbl *bigtable.Table, s Source) *Sourced { return &Sourced{tbl, s.Expires} }

// OkFailed writes what it is given.
func (s *Sourced) OkFailed(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set("token", "state", bigtable.Time(s.at()), nil)
	return s.tbl.Apply(ctx, key, m)
}
