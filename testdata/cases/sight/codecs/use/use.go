// Package use gives cells their codec: what is wrong with that is said where it is given,
// and at a later call only what that call supplies.
package use

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/codecs"
)

type wall struct{ seen map[string]bool }

// Stamp is told the value, and its result has nothing of that.
func (w wall) Stamp(v string) bigtable.Timestamp {
	w.seen[v] = true
	return bigtable.Now()
}

type keeper struct{ cells *codecs.Cells }

func newKeeper(c *bigtable.Client) *keeper {
	return &keeper{cells: codecs.New(c.Open("sessions"), wall{})} // want `write-time: .*"token"`
}

func (k *keeper) extend(ctx context.Context, id string) error {
	return k.cells.Store(ctx, id, "extend")
}

func local(ctx context.Context, c *bigtable.Client) error {
	cells := codecs.New(c.Open("sessions"), &wall{}) // want `write-time: .*"token"`
	return cells.Store(ctx, "r", "x")
}

type kinds struct{ cells *codecs.Cells }

func newKinds(t *bigtable.Table, ttl time.Duration) *kinds {
	return &kinds{cells: codecs.New(t, later{ttl})}
}

func (k *kinds) okWrite(ctx context.Context, id string) error {
	return k.cells.Store(ctx, id, "never")
}

type later struct{ ttl time.Duration }

func (l later) Stamp(string) bigtable.Timestamp { return bigtable.Time(time.Now().Add(l.ttl)) }

// A picky codec decides by what the later call says.
type picky struct{}

func (picky) Stamp(v string) bigtable.Timestamp {
	if v == "never" {
		return bigtable.Now()
	}
	return bigtable.Time(time.Now().Add(time.Hour))
}

// Picks are cells of a picky codec.
type Picks struct{ cells *codecs.Cells }

// NewPicks gives it.
func NewPicks(c *bigtable.Client) *Picks {
	return &Picks{cells: codecs.New(c.Open("sessions"), picky{})}
}

// Write writes two, of which one is wrong.
func (p *Picks) Write(ctx context.Context, id string) error {
	if err := p.cells.Store(ctx, id, "extend"); err != nil {
		return err
	}
	return p.cells.Store(ctx, id, "never") // want `write-time: .*"token"`
}

var _, _, _, _ = newKeeper, local, newKinds, NewPicks
