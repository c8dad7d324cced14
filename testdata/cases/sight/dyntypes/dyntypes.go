// Package dyntypes follows values into the cases of a type switch that are for their
// types, and into no others.
package dyntypes

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/dyntypes/lib"
)

type seconds int

type minutes int

func (s seconds) String() string { return fmt.Sprint(int(s)) }

func stamp(v any) bigtable.Timestamp {
	switch v := v.(type) {
	case seconds:
		return bigtable.Time(time.Now().Add(time.Duration(v) * time.Second))
	case minutes, int:
		return bigtable.Now()
	case func() time.Time:
		return bigtable.Time(v())
	case fmt.Stringer:
		return bigtable.ServerTime
	}
	return bigtable.Time(time.Now().Add(time.Hour))
}

// option is what is kept until it is used.
type option struct {
	fam string
	val any
}

func (o option) put(m *bigtable.Mutation) {
	if d, ok := o.val.(time.Duration); ok {
		m.Set(o.fam, "o", bigtable.Time(time.Now().Add(d)), nil)
		return
	}
	m.Set(o.fam, "o", bigtable.ServerTime, nil)
}

func with(fam string, d time.Duration) option { return option{fam, d} }

// must panics where it is no lifetime.
func must(v any) bigtable.Timestamp {
	if at, ok := v.(time.Time); ok {
		return bigtable.Time(at)
	}
	return bigtable.Time(time.Now().Add(v.(time.Duration)))
}

func through(v any) bigtable.Timestamp { return must(v) }

func generic[T time.Time | time.Duration | ~int](v T) bigtable.Timestamp {
	switch v := any(v).(type) {
	case time.Duration:
		return bigtable.Time(time.Now().Add(v))
	case time.Time:
		return bigtable.Time(v)
	}
	return bigtable.ServerTime
}

// a closed interface with pointers and values
type cell interface{ family() string }

type token struct{ life time.Duration }

type profile struct{ name string }

func (*token) family() string  { return "token" }
func (profile) family() string { return "profile" }

func save(m *bigtable.Mutation, c cell) {
	ts := bigtable.Now()
	if t, ok := c.(*token); ok {
		ts = bigtable.Time(time.Now().Add(t.life))
	}
	m.Set(c.family(), "s", ts, nil)
}

func saveWrong(m *bigtable.Mutation, c cell) {
	ts := bigtable.Now()
	if _, ok := c.(profile); ok {
		ts = bigtable.Time(time.Now().Add(time.Hour))
	}
	m.Set(c.family(), "s", ts, nil)
}

type expirer interface{ Expires() time.Time }

type session struct{ end time.Time }

func (s session) Expires() time.Time { return s.end }

type byPointer struct{ life time.Duration }

func (p *byPointer) Expires() time.Time { return time.Now().Add(p.life) }

type note struct{ text string }

func offeredNothing() bigtable.Timestamp {
	var v any
	if e, ok := v.(expirer); ok {
		return bigtable.Time(e.Expires())
	}
	return bigtable.ServerTime
}

func offered(v any) bigtable.Timestamp {
	if e, ok := v.(expirer); ok {
		return bigtable.Time(e.Expires())
	}
	return bigtable.ServerTime
}

func writes(m *bigtable.Mutation, end time.Time) {
	m.Set("token", "a", stamp(seconds(5)), nil)
	m.Set("token", "b", stamp(minutes(5)), nil) // want `write-time: .*"token"`
	m.Set("token", "c", stamp(5), nil)          // want `write-time: .*"token"`
	m.Set("token", "d", stamp(int64(5)), nil)
	m.Set("token", "e", stamp(time.Now), nil) // want `write-time: .*"token"`
	m.Set("token", "f", must(time.Hour), nil)
	m.Set("token", "g", through(time.Hour), nil)
	m.Set("token", "h", through(time.Now()), nil) // want `write-time: .*"token"`
	m.Set("token", "i", generic(time.Hour), nil)
	m.Set("token", "j", generic(end), nil)
	m.Set("token", "k", generic(time.Now()), nil) // want `write-time: .*"token"`
	m.Set("token", "l", generic(seconds(3)), nil) // want `server-timestamp: .*"token"`
	option{"token", time.Hour}.put(m)
	option{"token", "1h"}.put(m) // want `server-timestamp: .*"token"`
	option{"profile", nil}.put(m)
	with("token", time.Hour).put(m)
	for i, v := range []any{time.Hour, end} {
		m.Set("token", fmt.Sprint("m", i), lib.Stamp(v), nil)
	}
	for _, o := range []option{{"token", time.Minute}, {"profile", "x"}} {
		o.put(m)
	}
	save(m, &token{time.Hour})
	save(m, profile{"x"})
	saveWrong(m, &token{time.Hour}) // want `write-time: .*"token"`
	m.Set("token", "n", lib.Stamp(time.Hour), nil)
	m.Set("token", "o", lib.Stamp(end), nil)
	m.Set("token", "p", lib.Stamp(&end), nil)
	m.Set("token", "q", lib.Stamp(nil), nil)            // want `server-timestamp: .*"token"`
	m.Set("token", "r", lib.Stamp(bigtable.Now()), nil) // want `write-time: .*"token"`
	m.Set("token", "aa", offered(session{end}), nil)
	m.Set("token", "ab", offered(session{time.Now()}), nil) // want `write-time: .*"token"`
	m.Set("token", "ac", offered(&byPointer{time.Hour}), nil)
	m.Set("token", "ad", offered(byPointer{time.Hour}), nil) // want `server-timestamp: .*"token"`
	m.Set("token", "ae", offered(note{"x"}), nil)            // want `server-timestamp: .*"token"`
	m.Set("profile", "af", offered(note{"x"}), nil)
	m.Set("token", "aj", offered(nil), nil)     // want `server-timestamp: .*"token"`
	m.Set("token", "ak", offeredNothing(), nil) // want `server-timestamp: .*"token"`
	lib.PutRecord(m, "token", "ag", session{end})
	lib.PutRecord(m, "token", "ah", note{"x"}) // want `write-time: .*"token"`
	lib.PutRecord(m, "profile", "ai", note{"x"})
	lib.Put(m, "token", "s", lib.In(time.Hour))
	lib.Put(m, "token", "t", lib.At(end))
	lib.Put(m, "token", "u", lib.Never{}) // want `server-timestamp: .*"token"`
	lib.Put(m, "profile", "v", lib.Never{})
	m.Set("token", "w", lib.Of(time.Hour), nil)
	m.Set("token", "x", lib.Of(end), nil)
	m.Set("token", "y", lib.Of(time.Now()), nil) // want `write-time: .*"token"`
}

func apply(ctx context.Context, c *bigtable.Client, end time.Time) error {
	m := bigtable.NewMutation()
	writes(m, end)
	return c.Open("sessions").Apply(ctx, "k", m)
}

var _ = apply
