package bt

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

// Retry is the policy of our own retries, on top of the client's.
type Retry struct {
	Attempts int
	Base     time.Duration
}

// Permanent marks an error that is not worth another attempt.
type Permanent struct{ Err error }

func (p Permanent) Error() string { return p.Err.Error() }

// Unwrap gives the cause.
func (p Permanent) Unwrap() error { return p.Err }

// Do runs f until it succeeds.
func (r Retry) Do(ctx context.Context, stats *Stats, f func(ctx context.Context) error) error {
	n := r.Attempts
	if n < 1 {
		n = 1
	}
	delay := r.Base
	var err error
	for i := 0; i < n; i++ {
		if i > 0 {
			stats.Retries.Add(1)
			select {
			case <-ctx.Done():
				return errors.Join(err, ctx.Err())
			case <-time.After(delay + time.Duration(rand.Int64N(int64(delay)+1))):
			}
			delay *= 2
		}
		if err = f(ctx); err == nil {
			return nil
		}
		var p Permanent
		if errors.As(err, &p) {
			break
		}
	}
	stats.Errors.Add(1)
	return err
}
