// Package presence remembers who is where: at a charger, in the app, at a gate.
package presence

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/parkwise/parkwise/internal/bt"
	"github.com/parkwise/parkwise/internal/tenant"
)

// Tracker remembers presence beside the sessions of a table.
type Tracker struct {
	tbl  bt.Table
	kind string
}

// New makes a Tracker for a table that has a family "session".
func New(tbl bt.Table, kind string) *Tracker { return &Tracker{tbl: tbl, kind: kind} }

func (t *Tracker) key(id tenant.ID, who string) string { return tenant.Key(id, t.kind, who) }

// Mark notes that somebody is there.
func (t *Tracker) Mark(ctx context.Context, id tenant.ID, who, where string) error {
	mut := bigtable.NewMutation()
	mut.Set(bt.FamSession, "where", bigtable.ServerTime, []byte(where)) // want ttlwrite/server-timestamp[presence]
	if err := t.tbl.Apply(ctx, t.key(id, who), mut); err != nil {       // want ttlwrite/server-timestamp[presence]
		return fmt.Errorf("presence: %w", err)
	}
	return nil
}

// MarkUntil notes that somebody is there until a moment.
func (t *Tracker) MarkUntil(ctx context.Context, id tenant.ID, who, where string, until time.Time) error {
	mut := bigtable.NewMutation()
	mut.Set(bt.FamSession, "where", bigtable.Time(until), []byte(where))
	return t.tbl.Apply(ctx, t.key(id, who), mut)
}
