// Package ticks writes when a ticker says so, with the time that it sends.
package ticks

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type beat struct {
	tbl  *bigtable.Table
	tick *time.Ticker
}

func (b *beat) run(ctx context.Context, planned <-chan time.Time) error {
	for {
		m := bigtable.NewMutation()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case at := <-b.tick.C:
			m.Set("token", "seen", bigtable.Time(at), nil) // want `write-time: .*"token"`
			m.Set("token", "next", bigtable.Time(at.Add(time.Minute)), nil)
			m.Set("profile", "seen", bigtable.Time(at), nil)
		case at := <-planned:
			m.Set("token", "planned", bigtable.Time(at), nil)
		}
		if err := b.tbl.Apply(ctx, "k", m); err != nil {
			return err
		}
	}
}

func (b *beat) once(ctx context.Context) error {
	at := <-time.After(time.Second)
	m := bigtable.NewMutation()
	m.Set("token", "seen", bigtable.Time(at), nil) // want `write-time: .*"token"`
	return b.tbl.Apply(ctx, "k", m)
}

func (b *beat) each(ctx context.Context) {
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for at := range t.C {
		m := bigtable.NewMutation()
		m.Set("token", "later", bigtable.Time(at.Add(time.Hour)), nil)
		_ = b.tbl.Apply(ctx, "k", m)
	}
}

func (b *beat) live(ctx context.Context) (bigtable.Row, error) {
	at := <-b.tick.C
	return b.tbl.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(at, time.Time{}))))
}
