// Package contexttimes takes times out of contexts: what they carry is looked up, and
// they may carry none.
package contexttimes

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/contexttimes/lib"
)

type key struct{}

func with(ctx context.Context, t time.Time) context.Context { return context.WithValue(ctx, key{}, t) }

func requestTime(ctx context.Context) time.Time {
	if t, ok := ctx.Value(key{}).(time.Time); ok {
		return t
	}
	return time.Now()
}

func untilOf(ctx context.Context) time.Time {
	if v := ctx.Value(key{}); v != nil {
		return v.(time.Time)
	}
	return time.Now().Add(time.Minute)
}

func Put(ctx context.Context, c *bigtable.Client) error {
	m := bigtable.NewMutation()
	m.Set("token", "a", bigtable.Time(requestTime(ctx)), nil) // want `write-time: .*"token"`
	m.Set("token", "b", bigtable.Time(requestTime(ctx).Add(time.Minute)), nil)
	m.Set("token", "c", bigtable.Time(untilOf(ctx)), nil)
	m.Set("token", "d", bigtable.Time(lib.RequestTime(ctx)), nil) // want `write-time: .*"token"`
	m.Set("token", "e", bigtable.Time(lib.Deadline(ctx)), nil)
	return c.Open("sessions").Apply(ctx, "k", m)
}

// A flag that a caller gives is no such thing.
func OkFlag(ctx context.Context, c *bigtable.Client, at time.Time) error {
	if at.IsZero() {
		at = time.Now()
	}
	m := bigtable.NewMutation()
	m.Set("token", "a", bigtable.Time(at), nil)
	return c.Open("sessions").Apply(ctx, "k", m)
}
