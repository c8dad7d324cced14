// Package sink writes what others send.
package sink

import (
	"context"

	"cloud.google.com/go/bigtable"
)

// Cell is what is written.
type Cell struct {
	Family, Column string
	TS             bigtable.Timestamp
}

// Consume writes cells.
func Consume(ctx context.Context, tbl *bigtable.Table, in <-chan Cell) {
	for c := range in {
		mut := bigtable.NewMutation()
		mut.Set(c.Family, c.Column, c.TS, nil)
		_ = tbl.Apply(ctx, "r", mut)
	}
}

// Until does so until it is told to stop.
func Until(ctx context.Context, tbl *bigtable.Table, in chan *Cell, stop chan struct{}) error {
	for {
		select {
		case c, ok := <-in:
			if !ok {
				return nil
			}
			mut := bigtable.NewMutation()
			mut.Set("token", c.Column, c.TS, nil)
			if err := tbl.Apply(ctx, "r", mut); err != nil {
				return err
			}
		case <-stop:
			return nil
		}
	}
}

// Policy is what Apply sets.
type Policy struct {
	Family string
	GC     bigtable.GCPolicy
}

// Apply sets policies.
func Apply(ctx context.Context, a *bigtable.AdminClient, in <-chan Policy) error {
	for p := range in {
		if err := a.SetGCPolicy(ctx, "mixed", p.Family, p.GC); err != nil {
			return err
		}
	}
	return nil
}
