package btstore

import (
	"context"
	"math/rand/v2"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// RetryPolicy says how often and how patiently a call is repeated.
type RetryPolicy struct {
	Attempts int
	Base     time.Duration
	Cap      time.Duration
}

// DefaultRetry is what stores use unless told otherwise.
var DefaultRetry = RetryPolicy{Attempts: 4, Base: 40 * time.Millisecond, Cap: 2 * time.Second}

// NoRetry gives up at once.
var NoRetry = RetryPolicy{Attempts: 1}

func (p RetryPolicy) backoff(n int) time.Duration {
	d := p.Base << n
	if d > p.Cap || d <= 0 {
		d = p.Cap
	}
	if d <= 0 {
		return 0
	}
	return d/2 + time.Duration(rand.Int64N(int64(d/2)+1))
}

// Transient tells whether an error may go away by itself.
func Transient(err error) bool {
	switch status.Code(err) {
	case codes.Unavailable, codes.DeadlineExceeded, codes.Aborted, codes.ResourceExhausted:
		return true
	}
	return false
}

// Retry runs fn until it succeeds, fails for good, or the policy is used up.
func Retry(ctx context.Context, p RetryPolicy, fn func(context.Context) error) error {
	var err error
	for n := 0; n < max(p.Attempts, 1); n++ {
		if err = fn(ctx); err == nil || !Transient(err) {
			return err
		}
		t := time.NewTimer(p.backoff(n))
		select {
		case <-ctx.Done():
			t.Stop()
			return ctx.Err()
		case <-t.C:
		}
	}
	return err
}

// RetryValue is Retry for calls that have a result.
func RetryValue[T any](ctx context.Context, p RetryPolicy, fn func(context.Context) (T, error)) (T, error) {
	var out T
	err := Retry(ctx, p, func(ctx context.Context) error {
		v, err := fn(ctx)
		if err != nil {
			return err
		}
		out = v
		return nil
	})
	return out, err
}
