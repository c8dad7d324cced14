// Package books takes what makes its timestamps as an interface. It has types for it, which
// it leaves to others.
package books

import (
	"context"

	"cloud.google.com/go/bigtable"
)

// A Stamper makes timestamps.
type Stamper interface {
	Stamp(n int64) bigtable.Timestamp
}

// ByClock is the only type here: nothing says that it is what callers give.
type ByClock struct{}

// Stamp reads the clock.
func (ByClock) Stamp(int64) bigtable.Timestamp { return bigtable.Now() }

var _ Stamper = ByClock{}

// Import writes one entry.
func Import(ctx context.Context, c *bigtable.Client, n int64, s Stamper) error {
	mut := bigtable.NewMutation()
	mut.Set("entry", "debit", s.Stamp(n), nil)
	return c.Open("eu-ledger").Apply(ctx, "k", mut)
}

// A Marker is made of the one type that the package uses itself.
type Marker interface {
	Mark(n int64) bigtable.Timestamp
}

type nowMarker struct{}

func (nowMarker) Mark(int64) bigtable.Timestamp { return bigtable.Now() }

// NewMarker returns the marker that everyone uses.
func NewMarker() Marker { return nowMarker{} }

func Mark(ctx context.Context, c *bigtable.Client, n int64, m Marker) error {
	mut := bigtable.NewMutation()
	mut.Set("entry", "mark", m.Mark(n), nil) // want `clock-in-sequence`
	return c.Open("eu-ledger").Apply(ctx, "k", mut)
}
