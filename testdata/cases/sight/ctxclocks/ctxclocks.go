// Package ctxclocks takes clocks out of contexts, and times that another package's
// variable takes once.
package ctxclocks

import (
	"context"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/ctxclocks/clock"
)

func now(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "a", bigtable.Time(clock.From(ctx).Now()), nil) // want `write-time: .*"token"`
	return c.Open("sessions").Apply(ctx, "k", mut)
}

func okLater(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "a", bigtable.Time(clock.From(ctx).Now().Add(time.Hour)), nil)
	return c.Open("sessions").Apply(ctx, "k", mut)
}

func once(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "a", bigtable.Time(clock.Started().Add(time.Hour)), nil) // want `stale-clock: .*"token"`
	mut.Set("token", "b", bigtable.Time(clock.Begun().Add(time.Hour)), nil)   // want `stale-clock: .*"token"`
	return c.Open("sessions").Apply(ctx, "k", mut)
}

var started = sync.OnceValue(time.Now)

func own(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "a", bigtable.Time(started().Add(time.Hour)), nil) // want `stale-clock: .*"token"`
	return c.Open("sessions").Apply(ctx, "k", mut)
}

func okElapsed(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "a", bigtable.Time(time.Now().Add(time.Hour+time.Since(clock.Started()))), nil)
	return c.Open("sessions").Apply(ctx, "k", mut)
}
