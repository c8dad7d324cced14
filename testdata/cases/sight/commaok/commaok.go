// Package commaok holds the second result of a call, an assertion or a lookup together
// with the first.
package commaok

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/commaok/lib"
)

type level int

const (
	high level = iota
	low
	none
)

// life is a method with three results.
func (l level) life() (d time.Duration, unit string, ok bool) {
	switch l {
	case high:
		return time.Hour, "h", true
	case low:
		return time.Minute, "m", true
	}
	return
}

func write(m *bigtable.Mutation, l level, fam string) {
	ts := bigtable.ServerTime
	if d, _, ok := l.life(); ok {
		ts = bigtable.Time(time.Now().Add(d))
	}
	m.Set(fam, "a", ts, nil)
}

// refuse returns early, and asks for the unit too.
func refuse(m *bigtable.Mutation, l level, fam string) {
	d, unit, ok := l.life()
	if !ok || unit == "m" {
		m.Set(fam, "b", bigtable.Now(), nil)
		return
	}
	m.Set(fam, "b", bigtable.Time(time.Now().Add(d)), nil)
}

type bag map[string]any

func (b bag) stamp() bigtable.Timestamp {
	if d, ok := b["ttl"].(time.Duration); ok {
		return bigtable.Time(time.Now().Add(d))
	}
	if t, ok := b["at"].(time.Time); ok {
		return bigtable.Time(t)
	}
	return bigtable.ServerTime
}

// orZero leaves the lifetime at zero where it is something else.
func orZero(v any) bigtable.Timestamp {
	d, _ := v.(time.Duration)
	return bigtable.Time(time.Now().Add(d))
}

func writes(m *bigtable.Mutation) {
	write(m, high, "token")
	write(m, low, "token")
	write(m, none, "token") // want `server-timestamp: .*"token"`
	write(m, none, "profile")
	refuse(m, high, "token")
	refuse(m, low, "token")  // want `write-time: .*"token"`
	refuse(m, none, "token") // want `write-time: .*"token"`
	refuse(m, low, "profile")
	m.Set("token", "d", bag{"ttl": time.Hour}.stamp(), nil)
	m.Set("token", "e", bag{"at": time.Now().Add(time.Hour)}.stamp(), nil)
	m.Set("token", "f", bag{"at": time.Now()}.stamp(), nil) // want `write-time: .*"token"`
	m.Set("token", "g", bag{"ttl": "1h"}.stamp(), nil)      // want `server-timestamp: .*"token"`
	m.Set("token", "h", bag{}.stamp(), nil)                 // want `server-timestamp: .*"token"`
	m.Set("token", "i", orZero(time.Hour), nil)
	m.Set("token", "j", orZero(3600), nil) // want `write-time: .*"token"`
	m.Set("token", "k", lib.Stamp(lib.Token), nil)
	m.Set("token", "l", lib.Stamp(lib.Profile), nil) // want `server-timestamp: .*"token"`
	m.Set("profile", "m", lib.Stamp(lib.Profile), nil)
	lib.Put(m, "token", "n")
	lib.Put(m, "profile", "o")
	lib.Wrong(m, "token", "p") // want `server-timestamp: .*"token"`
	lib.Wrong(m, "profile", "q")
}

func read(ctx context.Context, c *bigtable.Client) (int, error) {
	row, err := c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(lib.Live(lib.Token, "token")))
	return len(row["token"]), err
}

func readAll(ctx context.Context, c *bigtable.Client) (int, error) {
	row, err := c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(lib.Live(lib.Profile, "token"))) // want `missing-filter: .*"token"`
	return len(row["token"]), err
}

var _ = []any{writes, read, readAll}
