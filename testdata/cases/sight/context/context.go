// Package context carries the clock in the context.
package context

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type clockKey struct{}

// With puts a clock into a context.
func With(ctx context.Context, now func() time.Time) context.Context {
	return context.WithValue(ctx, clockKey{}, now)
}

func now(ctx context.Context) time.Time {
	if f, ok := ctx.Value(clockKey{}).(func() time.Time); ok {
		return f()
	}
	return time.Now()
}

type otherKey struct{}

func clockOf(ctx context.Context) func() time.Time {
	if f, _ := ctx.Value(otherKey{}).(func() time.Time); f != nil {
		return f
	}
	return time.Now
}

type clock interface{ Now() time.Time }

type system struct{}

func (system) Now() time.Time { return time.Now() }

type interfaceKey struct{}

func from(ctx context.Context) clock {
	if c, ok := ctx.Value(interfaceKey{}).(clock); ok {
		return c
	}
	return system{}
}

type putKey int

const start putKey = 1

func handler(ctx context.Context) context.Context {
	return context.WithValue(ctx, start, time.Now)
}

type deadlineKey struct{}

// deadline is no clock.
func deadline(ctx context.Context) time.Time {
	if f, ok := ctx.Value(deadlineKey{}).(func() time.Time); ok {
		return f()
	}
	return time.Now().Add(time.Hour)
}

type store struct{ tbl *bigtable.Table }

func open(c *bigtable.Client) *store { return &store{c.Open("sessions")} }

// Put writes.
func (s *store) Put(ctx context.Context, key string, v []byte) error {
	m := bigtable.NewMutation()
	m.Set("token", "a", bigtable.Time(now(ctx)), v) // want `write-time: .*"token"`
	m.Set("token", "b", bigtable.Time(now(ctx).Add(time.Minute)), v)
	m.Set("token", "c", bigtable.Time(clockOf(ctx)()), v) // want `write-time: .*"token"`
	m.Set("token", "d", bigtable.Time(clockOf(ctx)().Add(time.Minute)), v)
	m.Set("token", "e", bigtable.Time(from(ctx).Now()), v) // want `write-time: .*"token"`
	m.Set("token", "f", bigtable.Time(from(ctx).Now().Add(time.Minute)), v)
	m.Set("token", "h", bigtable.Time(deadline(ctx)), v)
	at := ctx.Value(start).(func() time.Time)
	m.Set("token", "i", bigtable.Time(at()), v) // want `write-time: .*"token"`
	m.Set("token", "j", bigtable.Time(at().Add(time.Minute)), v)
	return s.tbl.Apply(ctx, key, m)
}

// Get reads.
func (s *store) Get(ctx context.Context, key string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(now(ctx), time.Time{}))))
}

// Dead reads what has expired.
func (s *store) Dead(ctx context.Context, key string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Time{}, now(ctx))))) // want `expired-only: .*"token"`
}
