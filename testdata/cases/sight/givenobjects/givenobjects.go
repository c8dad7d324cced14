// Package givenobjects gives a local function one object after the other: it finds in
// each what that holds as it is called.
package givenobjects

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/givenobjects/lease"
)

type cell struct {
	family string
	ts     bigtable.Timestamp
}

func later() bigtable.Timestamp { return bigtable.Time(time.Now().Add(time.Hour)) }

func each(ctx context.Context, t *bigtable.Table) {
	add := func(c *cell) {
		m := bigtable.NewMutation()
		m.Set(c.family, "a", c.ts, nil)
		_ = t.Apply(ctx, "r", m)
	}
	add(&cell{"profile", bigtable.ServerTime})
	add(&cell{"token", bigtable.ServerTime}) // want `server-timestamp: .*"token"`
}

func changed(ctx context.Context, t *bigtable.Table) {
	add := func(c *cell) {
		m := bigtable.NewMutation()
		m.Set(c.family, "a", c.ts, nil)
		_ = t.Apply(ctx, "r", m)
	}
	first := &cell{"token", bigtable.ServerTime}
	first.ts = later()
	add(first)
	second := &cell{"token", later()}
	add(second)
	second.ts = bigtable.Now()
	add(second) // want `write-time: .*"token"`
	second.family = "profile"
	add(second)
}

// What the function itself writes by way of another pointer counts first.
func okWritten(ctx context.Context, t *bigtable.Table) {
	var other *cell
	add := func(c *cell) {
		m := bigtable.NewMutation()
		if other != nil {
			other.ts = later()
		}
		m.Set(c.family, "a", c.ts, nil)
		_ = t.Apply(ctx, "r", m)
	}
	one := &cell{"token", bigtable.ServerTime}
	other = one
	add(one)
	add(&cell{"profile", bigtable.ServerTime})
}

func across(ctx context.Context, t *bigtable.Table) {
	add := func(l *lease.Lease) {
		m := bigtable.NewMutation()
		m.Set(l.Family, "a", l.Until, nil)
		_ = t.Apply(ctx, "r", m)
	}
	add(&lease.Lease{Family: "token", Until: later()})
	add(&lease.Lease{Family: "token", Until: bigtable.Now()}) // want `write-time: .*"token"`
	add(&lease.Lease{Family: "profile", Until: bigtable.Now()})
}
