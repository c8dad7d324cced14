// Package calledclocks is given clocks: what is known to be given tells what they say, and
// only where nothing is, what they are called.
package calledclocks

import (
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/calledclocks/ticks"
)

// Elsewhere is given a clock by nobody here; of the interface's types it is known what
// they do.
type Elsewhere struct{ source ticks.Source }

func NewElsewhere(s ticks.Source) *Elsewhere { return &Elsewhere{s} }

func (e *Elsewhere) put(m *bigtable.Mutation) {
	m.Set("token", "a", bigtable.Time(e.source.Tick()), nil) // want `write-time`
}

// Named is given a clock by nobody.
type Named struct{ now func() time.Time }

func NewNamed(now func() time.Time) *Named { return &Named{now} }

func (n *Named) put(m *bigtable.Mutation) {
	m.Set("token", "a", bigtable.Time(n.now()), nil) // want `write-time`
	m.Set("token", "b", bigtable.Time(n.now().Add(time.Hour)), nil)
}

// AsOf is given what an operator says, by a function that is called now.
type AsOf struct{ now func() time.Time }

func newAsOf(until time.Time) *AsOf { return &AsOf{now: func() time.Time { return until }} }

// NewAsOf is for other packages.
func NewAsOf(now func() time.Time) *AsOf { return &AsOf{now} }

func (a *AsOf) put(m *bigtable.Mutation) {
	m.Set("token", "a", bigtable.Time(a.now()), nil)
}

// Backfill is for other packages.
func Backfill(m *bigtable.Mutation, until time.Time) { newAsOf(until).put(m) }

func backfilled(m *bigtable.Mutation) {
	Backfill(m, time.Now().Add(time.Hour))
	Backfill(m, time.Now()) // want `write-time`
}

// Held is given a clock by nobody, and can be told the time instead.
type Held struct{ now func() time.Time }

func NewHeld(now func() time.Time) *Held { return &Held{now: now} }

// Hold makes it say what it is told.
func (h *Held) Hold(at time.Time) { h.now = func() time.Time { return at } }

func (h *Held) put(m *bigtable.Mutation) {
	m.Set("token", "a", bigtable.Time(h.now()), nil)
}
