// Package clock takes the clock out of the context.
package clock

import (
	"context"
	"sync"
	"time"
)

// A Clock tells the time.
type Clock interface{ Now() time.Time }

type system struct{}

func (system) Now() time.Time { return time.Now() }

type utc struct{}

func (utc) Now() time.Time { return time.Now().UTC() }

type key struct{}

// With puts a clock into a context.
func With(ctx context.Context, c Clock) context.Context { return context.WithValue(ctx, key{}, c) }

// UTC puts one that tells UTC into it.
func UTC(ctx context.Context) context.Context { return With(ctx, utc{}) }

// From takes it out.
func From(ctx context.Context) Clock {
	if c, ok := ctx.Value(key{}).(Clock); ok {
		return c
	}
	return system{}
}

// Started is when it was first asked.
var Started = sync.OnceValue(time.Now)

// Begun is the same in UTC.
var Begun = sync.OnceValue(func() time.Time { return time.Now().UTC() })
