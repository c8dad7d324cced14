// Package retry runs functions until they succeed or give up.
package retry

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

// Policy says how often and how fast.
type Policy struct {
	Attempts int
	Base     time.Duration
	Max      time.Duration
}

// Default is what most adapters use.
func Default() Policy {
	return Policy{Attempts: 4, Base: 20 * time.Millisecond, Max: 800 * time.Millisecond}
}

type permanent struct{ err error }

func (p permanent) Error() string { return p.err.Error() }
func (p permanent) Unwrap() error { return p.err }

// Permanent marks an error that no retry will cure.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return permanent{err}
}

// Do runs f under the policy and returns its last result.
func Do[T any](ctx context.Context, p Policy, f func(context.Context) (T, error)) (T, error) {
	var zero T
	wait := p.Base
	for i := 0; ; i++ {
		v, err := f(ctx)
		if err == nil {
			return v, nil
		}
		var perm permanent
		if errors.As(err, &perm) || i+1 >= p.Attempts {
			return zero, err
		}
		jitter := time.Duration(rand.Int64N(int64(wait/2) + 1))
		select {
		case <-ctx.Done():
			return zero, errors.Join(err, ctx.Err())
		case <-time.After(wait + jitter):
		}
		if wait *= 2; wait > p.Max {
			wait = p.Max
		}
	}
}

// Run is Do for functions without a result.
func Run(ctx context.Context, p Policy, f func(context.Context) error) error {
	_, err := Do(ctx, p, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, f(ctx)
	})
	return err
}
