// Package handedlocal has the helpers, what they call and their callers in one
// package: with an interface that several types implement.
package handedlocal

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type cell interface {
	appendCell(mut *bigtable.Mutation, ts bigtable.Timestamp)
}

type token struct{ key string }

func (t token) appendCell(mut *bigtable.Mutation, ts bigtable.Timestamp) {
	mut.Set("token", t.key, ts, nil)
}

type profile struct{ name string }

func (p profile) appendCell(mut *bigtable.Mutation, ts bigtable.Timestamp) {
	mut.Set("profile", p.name, ts, nil)
}

type entry struct{ amount string }

func (e *entry) appendCell(mut *bigtable.Mutation, ts bigtable.Timestamp) {
	mut.Set("entry", e.amount, ts, nil)
}

// scaled makes a number of versions of a counter by itself.
type scaled struct{ amount string }

func (s scaled) appendCell(mut *bigtable.Mutation, ts bigtable.Timestamp) {
	mut.Set("entry", s.amount, ts*1000, nil)
}

func write(ctx context.Context, t *bigtable.Table, key string, c cell, ts bigtable.Timestamp) error {
	mut := bigtable.NewMutation()
	c.appendCell(mut, ts)
	return t.Apply(ctx, key, mut)
}

func writeAll(mut *bigtable.Mutation, cells []cell, ts bigtable.Timestamp) {
	for _, c := range cells {
		c.appendCell(mut, ts)
	}
}

// several writes each of several cells, of two of which the time is wrong.
func several(ctx context.Context, c *bigtable.Client, n int) {
	sessions, ledger := c.Open("sessions"), c.Open("cash-ledger")
	write(ctx, sessions, "k", token{"a"}, bigtable.Now()) // want `write-time: .*"token" of table "sessions"`
	write(ctx, sessions, "k", token{"a"}, bigtable.Time(time.Now().Add(time.Minute)))
	write(ctx, sessions, "k", profile{"a"}, bigtable.Now())
	write(ctx, ledger, "k", &entry{"a"}, bigtable.Now()) // want `clock-in-sequence: .*"entry"`
	write(ctx, ledger, "k", &entry{"a"}, bigtable.Timestamp(n*1000))
	write(ctx, ledger, "k", scaled{"a"}, bigtable.Timestamp(n))
	mut := bigtable.NewMutation()
	writeAll(mut, []cell{profile{"a"}, token{"b"}}, bigtable.Now()) // want `write-time: .*"token"`
	writeAll(mut, []cell{profile{"a"}}, bigtable.Now())
	var list []cell
	list = append(list, profile{"x"})
	writeAll(mut, list, bigtable.ServerTime)
	list = append(list, token{"x"})
	writeAll(mut, list, bigtable.ServerTime) // want `server-timestamp: .*"token"`
}

// unknown is given a cell by somebody.
func okUnknown(ctx context.Context, c *bigtable.Client, x cell) error {
	return write(ctx, c.Open("sessions"), "k", x, bigtable.Now())
}

// A row makes its own mutation.
type row interface {
	mutation(ts bigtable.Timestamp) *bigtable.Mutation
}

type tokenRow struct{ key string }

func (t tokenRow) mutation(ts bigtable.Timestamp) *bigtable.Mutation {
	mut := bigtable.NewMutation()
	mut.Set("token", t.key, ts, nil)
	return mut
}

type profileRow struct{ key string }

func (p profileRow) mutation(ts bigtable.Timestamp) *bigtable.Mutation {
	mut := bigtable.NewMutation()
	mut.Set("profile", p.key, ts, nil)
	return mut
}

func save(ctx context.Context, t *bigtable.Table, key string, r row, ts bigtable.Timestamp) error {
	return t.Apply(ctx, key, r.mutation(ts))
}

func saves(ctx context.Context, c *bigtable.Client) {
	save(ctx, c.Open("sessions"), "k", tokenRow{"a"}, bigtable.Now()) // want `write-time: .*"token"`
	save(ctx, c.Open("sessions"), "k", profileRow{"a"}, bigtable.Now())
	save(ctx, c.Open("sessions"), "k", tokenRow{"a"}, bigtable.Time(time.Now().Add(time.Hour)))
}

func okSaved(ctx context.Context, c *bigtable.Client) error {
	return save(ctx, c.Open("undeclared"), "k", tokenRow{"a"}, bigtable.Now())
}

// A saver has the cell and the time in fields.
type saver struct {
	t   *bigtable.Table
	c   cell
	now func() bigtable.Timestamp
}

func (s saver) save(ctx context.Context) error {
	mut := bigtable.NewMutation()
	s.c.appendCell(mut, s.now())
	return s.t.Apply(ctx, "k", mut)
}

func savers(ctx context.Context, c *bigtable.Client) {
	t := c.Open("sessions")
	saver{t, token{"a"}, bigtable.Now}.save(ctx) // want `write-time: .*"token"`
	saver{t, profile{"a"}, bigtable.Now}.save(ctx)
	saver{t, token{"a"}, func() bigtable.Timestamp { return bigtable.Time(time.Now().Add(time.Hour)) }}.save(ctx)
}

// each calls a function for each of the keys.
func each(keys []string, f func(mut *bigtable.Mutation, key string, at time.Time), at time.Time) []*bigtable.Mutation {
	var out []*bigtable.Mutation
	for _, k := range keys {
		mut := bigtable.NewMutation()
		f(mut, k, at)
		out = append(out, mut)
	}
	return out
}

func eaches(ctx context.Context, c *bigtable.Client, keys []string, lifetime time.Duration) {
	expire := func(mut *bigtable.Mutation, key string, at time.Time) {
		mut.Set("token", key, bigtable.Time(at), nil)
	}
	c.Open("sessions").ApplyBulk(ctx, keys, each(keys, expire, time.Now())) // want `write-time: .*"token" of table "sessions"`
	c.Open("sessions").ApplyBulk(ctx, keys, each(keys, expire, time.Now().Add(lifetime)))
	c.Open("sessions").ApplyBulk(ctx, keys, each(keys, func(mut *bigtable.Mutation, key string, at time.Time) {
		mut.Set("token", key, bigtable.Time(at.Add(lifetime)), nil)
	}, time.Now()))
}

// whole is wrong in the literal, whoever calls it with whatever mutation: once.
func whole(keys []string) []*bigtable.Mutation {
	return each(keys, func(mut *bigtable.Mutation, key string, at time.Time) {
		mut.Set("token", key, bigtable.ServerTime, nil) // want `server-timestamp: .*"token"`
	}, time.Now())
}

// twice writes with one time, two cells.
func okTwice(mut *bigtable.Mutation, ts bigtable.Timestamp) {
	writeAll(mut, []cell{token{"a"}, token{"b"}}, bigtable.Time(time.Now().Add(time.Hour)))
	writeAll(mut, []cell{token{"a"}}, ts)
}
