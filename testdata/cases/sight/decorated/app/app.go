// Package app wires them.
package app

import (
	"context"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/decorated/dal"
)

type desk struct {
	locks, others, notes, plain, short, twice dal.Putter
}

func newDesk(c *bigtable.Client, log *slog.Logger) *desk {
	d := &desk{}
	d.locks = dal.Logged{Putter: &dal.Lives{W: c.Open("sessions"), Family: "token", Life: time.Minute}, Log: log}
	d.others = dal.Logged{Putter: dal.Stays{W: c.Open("sessions"), Family: "token"}, Log: log} // not seen: server-timestamp
	d.notes = dal.Stays{W: c.Open("sessions"), Family: "profile"}
	d.plain = dal.Stays{W: c.Open("eu-ledger"), Family: "entry"}
	d.short = &dal.Logged{Putter: &dal.Lives{W: c.Open("sessions"), Family: "token"}, Log: log}                             // not seen: write-time
	d.twice = dal.Logged{Putter: dal.Logged{Putter: dal.Stays{W: c.Open("tickets"), Family: "ticket"}, Log: log}, Log: log} // not seen: server-timestamp
	return d
}

func (d *desk) take(ctx context.Context, key string) error {
	for _, p := range []dal.Putter{d.locks, d.others, d.short, d.twice} {
		if err := p.Put(ctx, key, "c", nil); err != nil {
			return err
		}
	}
	if err := d.notes.Put(ctx, key, "n", nil); err != nil {
		return err
	}
	return d.plain.Put(ctx, key, "n", nil) // want `clock-in-sequence`
}
