// Package retry repeats what failed for a passing reason.
package retry

import (
	"context"
	"math/rand/v2"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Policy says how often and how long apart.
type Policy struct {
	Attempts int
	Base     time.Duration
	Max      time.Duration
}

// Default suits single-row writes.
var Default = Policy{Attempts: 5, Base: 50 * time.Millisecond, Max: 2 * time.Second}

// Do runs f until it succeeds, fails for good, or the attempts are used up.
func Do(ctx context.Context, p Policy, f func(context.Context) error) error {
	var err error
	wait := p.Base
	for i := 0; i < p.Attempts; i++ {
		if err = f(ctx); err == nil || !Transient(err) {
			return err
		}
		jitter := time.Duration(rand.Int64N(int64(wait)/2 + 1))
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait + jitter):
		}
		if wait *= 2; wait > p.Max {
			wait = p.Max
		}
	}
	return err
}

// Value is Do for functions with a result.
func Value[T any](ctx context.Context, p Policy, f func(context.Context) (T, error)) (T, error) {
	var v T
	err := Do(ctx, p, func(ctx context.Context) error {
		var err error
		v, err = f(ctx)
		return err
	})
	return v, err
}

// Transient reports whether a later attempt may succeed.
func Transient(err error) bool {
	switch status.Code(err) {
	case codes.Unavailable, codes.Aborted, codes.DeadlineExceeded, codes.ResourceExhausted:
		return true
	}
	return false
}
