// Package obs counts, logs and retries.
package obs

import (
	"context"
	"errors"
	"expvar"
	"log/slog"
	"math/rand/v2"
	"os"
	"time"
)

// Logger is the process's logger.
var Logger = slog.New(slog.NewJSONHandler(os.Stderr, nil))

// Metrics counts operations by name.
type Metrics struct {
	counts *expvar.Map
}

// NewMetrics publishes a map under name.
func NewMetrics(name string) *Metrics {
	return &Metrics{counts: expvar.NewMap(name)}
}

// Inc adds one.
func (m *Metrics) Inc(op string) {
	m.counts.Add(op, 1)
}

// Permanent marks an error that no retry mends.
type Permanent struct{ Err error }

func (p Permanent) Error() string { return p.Err.Error() }
func (p Permanent) Unwrap() error { return p.Err }

// Retry calls fn until it succeeds, fails permanently or n attempts are used.
func Retry(ctx context.Context, n int, fn func(context.Context) error) error {
	wait := 50 * time.Millisecond
	var err error
	for i := 0; i < n; i++ {
		if err = fn(ctx); err == nil {
			return nil
		}
		var p Permanent
		if errors.As(err, &p) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait + rand.N(wait)):
		}
		wait *= 2
	}
	return err
}

// Timed logs how long a job took.
func Timed(name string) func() {
	start := time.Now()
	return func() { Logger.Info("done", "job", name, "took", time.Since(start)) }
}
