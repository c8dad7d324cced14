// Package clockmoved reads by a clock that it is given: one is the system's, the other
// is moved by hand.
package clockmoved

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// A Clock tells the time.
type Clock interface{ Now() time.Time }

// System is the system's.
type System struct{}

// Now is the time.
func (System) Now() time.Time { return time.Now() }

// Manual is moved by hand.
type Manual struct{ t time.Time }

// Now is what it was moved to.
func (m *Manual) Now() time.Time { return m.t }

// Advance moves it.
func (m *Manual) Advance(d time.Duration) { m.t = m.t.Add(d) }

// Wheel is a table with a clock.
type Wheel struct {
	tbl *bigtable.Table
	clk Clock
}

// NewWheel returns a wheel.
func NewWheel(t *bigtable.Table, clk Clock) *Wheel { return &Wheel{t, clk} }

// Real is the usual one.
func Real(c *bigtable.Client) *Wheel { return NewWheel(c.Open("sessions"), System{}) }

// Still is one of which the time stands.
func Still() *Wheel { return NewWheel(nil, &Manual{time.Unix(1e9, 0)}) }

// Overdue reads the dead.
func (w *Wheel) Overdue(ctx context.Context) (int, error) {
	row, err := w.tbl.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Unix(0, 0), w.clk.Now())))) // want `expired-only: .*"token"`
	return len(row["token"]), err
}

// Alive reads the living.
func (w *Wheel) Alive(ctx context.Context) (int, error) {
	row, err := w.tbl.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(w.clk.Now(), time.Time{}))))
	return len(row["token"]), err
}
