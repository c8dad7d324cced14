// Package distances asks how far a time that may be zero lies from another: of the zero
// time, that decides the condition.
package distances

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type session struct {
	id      string
	expires time.Time
}

func decode(row bigtable.Row) session {
	x := session{id: "k"}
	for _, it := range row["token"] {
		if it.Column == "token:player" {
			x.expires = it.Timestamp.Time()
		}
	}
	return x
}

func put(ctx context.Context, t *bigtable.Table, ts bigtable.Timestamp) {
	m := bigtable.NewMutation()
	m.Set("token", "player", ts, nil)
	_ = t.Apply(ctx, "k", m)
}

func prolong(ctx context.Context, c *bigtable.Client, row bigtable.Row, ttl time.Duration) {
	x := decode(row)
	ts := bigtable.Time(x.expires)
	if x.expires.Sub(time.Now()) < ttl/2 {
		ts = bigtable.Time(time.Now().Add(ttl))
	}
	put(ctx, c.Open("sessions"), ts)
}

func until(ctx context.Context, c *bigtable.Client, row bigtable.Row) {
	x := decode(row)
	if 5*time.Minute > time.Until(x.expires) {
		x.expires = time.Now().Add(time.Hour)
	}
	put(ctx, c.Open("sessions"), bigtable.Time(x.expires))
}

func since(ctx context.Context, c *bigtable.Client, row bigtable.Row) {
	x := decode(row)
	if time.Since(x.expires) > -time.Minute { // want `not-write-time`
		x.expires = time.Now().Add(time.Hour)
	}
	put(ctx, c.Open("sessions"), bigtable.Time(x.expires))
}

func elapsed(ctx context.Context, c *bigtable.Client, row bigtable.Row) {
	x := decode(row)
	if time.Now().Sub(x.expires) <= -time.Minute { // want `not-write-time`
		put(ctx, c.Open("sessions"), bigtable.Time(x.expires))
	}
}

// wrongWay replaces the others, and leaves the zero time.
func wrongWay(ctx context.Context, c *bigtable.Client, row bigtable.Row) {
	x := decode(row)
	ts := bigtable.Time(x.expires)
	if x.expires.Sub(time.Now()) > time.Minute {
		ts = bigtable.Time(time.Now().Add(time.Hour))
	}
	put(ctx, c.Open("sessions"), ts) // want `already-expired: .*zero time`
}

// tooOld takes the zero time for one that is not too old.
func tooOld(ctx context.Context, c *bigtable.Client, row bigtable.Row) {
	x := decode(row)
	if time.Since(x.expires) < time.Hour { // want `not-write-time`
		return
	}
	put(ctx, c.Open("sessions"), bigtable.Time(x.expires)) // want `already-expired: .*zero time`
}

// other asks of another time.
func other(ctx context.Context, c *bigtable.Client, row bigtable.Row, last time.Time) {
	x := decode(row)
	ts := bigtable.Time(x.expires)
	if last.Sub(time.Now()) < time.Minute {
		ts = bigtable.Time(time.Now().Add(time.Hour))
	}
	put(ctx, c.Open("sessions"), ts)
}

// looked asks of one that is looked up.
func looked(ctx context.Context, c *bigtable.Client, row bigtable.Row, last map[string]time.Time) {
	x := decode(row)
	ts := bigtable.Time(x.expires)
	if last["k"].Sub(time.Now()) < time.Minute {
		ts = bigtable.Time(time.Now().Add(time.Hour))
	}
	put(ctx, c.Open("sessions"), ts) // want `already-expired: .*zero time`
}
