// Package lib carries the time of a request in its context.
package lib

import (
	"context"
	"time"
)

type key struct{}

// With puts the time of a request into a context.
func With(ctx context.Context, t time.Time) context.Context { return context.WithValue(ctx, key{}, t) }

// RequestTime is when a request came in.
func RequestTime(ctx context.Context) time.Time {
	if t, ok := ctx.Value(key{}).(time.Time); ok {
		return t
	}
	return time.Now()
}

// Deadline is a minute later, unless the context says something else.
func Deadline(ctx context.Context) time.Time {
	if t, ok := ctx.Value(key{}).(time.Time); ok {
		return t
	}
	return time.Now().Add(time.Minute)
}
