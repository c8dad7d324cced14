// Package clock carries the clock of a request through its context.
package clock

import (
	"context"
	"time"
)

// Clock tells the time.
type Clock interface {
	Now() time.Time
}

// System is the wall clock.
type System struct{}

// Now implements Clock.
func (System) Now() time.Time { return time.Now() }

// Func adapts a function.
type Func func() time.Time

// Now implements Clock.
func (f Func) Now() time.Time { return f() }

// Fixed always tells the same time; for tests.
type Fixed struct{ At time.Time }

// Now implements Clock.
func (f Fixed) Now() time.Time { return f.At }

type ctxKey struct{}

// With returns a context whose clock is c.
func With(ctx context.Context, c Clock) context.Context {
	return context.WithValue(ctx, ctxKey{}, c)
}

// From returns the clock of ctx, or the wall clock.
func From(ctx context.Context) Clock {
	if c, ok := ctx.Value(ctxKey{}).(Clock); ok {
		return c
	}
	return System{}
}

// Now is the time by the clock of ctx.
func Now(ctx context.Context) time.Time { return From(ctx).Now() }

// In is the moment d from now.
func In(ctx context.Context, d time.Duration) time.Time { return Now(ctx).Add(d) }
