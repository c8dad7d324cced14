// Package retry repeats what may work the next time.
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

// Default is right for reads.
var Default = Policy{Attempts: 4, Base: 20 * time.Millisecond, Max: time.Second}

// Permanent wraps an error that is not worth another attempt.
type Permanent struct{ Err error }

func (p *Permanent) Error() string { return p.Err.Error() }
func (p *Permanent) Unwrap() error { return p.Err }

// Do calls f until it succeeds.
func (p Policy) Do(ctx context.Context, f func(context.Context) error) error {
	var err error
	for i := 0; i < p.Attempts; i++ {
		if err = f(ctx); err == nil {
			return nil
		}
		var perm *Permanent
		if errors.As(err, &perm) {
			return perm.Err
		}
		if !wait(ctx, p.delay(i)) {
			return errors.Join(err, ctx.Err())
		}
	}
	return err
}

// Value is Do for functions with a result.
func Value[T any](ctx context.Context, p Policy, f func(context.Context) (T, error)) (T, error) {
	var out T
	err := p.Do(ctx, func(ctx context.Context) error {
		v, err := f(ctx)
		if err == nil {
			out = v
		}
		return err
	})
	return out, err
}

func (p Policy) delay(i int) time.Duration {
	d := p.Base << i
	if d > p.Max {
		d = p.Max
	}
	return d/2 + time.Duration(rand.Int64N(int64(d)/2+1))
}

func wait(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
