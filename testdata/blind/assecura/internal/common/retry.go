package common

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// RetryPolicy says how often to try.
type RetryPolicy struct {
	MaxAttempts int
	Backoff     time.Duration
}

// RetryTemplate is the port of Spring's.
type RetryTemplate struct {
	policy RetryPolicy
	log    *slog.Logger
}

// NewRetryTemplate makes a template.
func NewRetryTemplate(policy RetryPolicy, log *slog.Logger) *RetryTemplate {
	if policy.MaxAttempts < 1 {
		policy.MaxAttempts = 1
	}
	return &RetryTemplate{policy: policy, log: log}
}

// Execute runs f until it succeeds.
func (t *RetryTemplate) Execute(ctx context.Context, name string, f func(context.Context) error) error {
	var err error
	for attempt := 1; attempt <= t.policy.MaxAttempts; attempt++ {
		if err = f(ctx); err == nil {
			return nil
		}
		t.log.Warn("attempt failed", "operation", name, "attempt", attempt, "error", err)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(t.policy.Backoff * time.Duration(attempt)):
		}
	}
	return err
}

// MeterRegistry counts what happens.
type MeterRegistry interface {
	Increment(name string)
	Record(name string, d time.Duration)
	Snapshot() map[string]int64
}

type simpleMeterRegistry struct {
	mu       sync.Mutex
	counters map[string]*atomic.Int64
}

// NewSimpleMeterRegistry makes a registry in memory.
func NewSimpleMeterRegistry() MeterRegistry {
	return &simpleMeterRegistry{counters: map[string]*atomic.Int64{}}
}

func (r *simpleMeterRegistry) counter(name string) *atomic.Int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	c, ok := r.counters[name]
	if !ok {
		c = new(atomic.Int64)
		r.counters[name] = c
	}
	return c
}

// Increment implements MeterRegistry.
func (r *simpleMeterRegistry) Increment(name string) { r.counter(name).Add(1) }

// Record implements MeterRegistry.
func (r *simpleMeterRegistry) Record(name string, d time.Duration) {
	r.counter(name + ".count").Add(1)
	r.counter(name + ".micros").Add(d.Microseconds())
}

// Snapshot implements MeterRegistry.
func (r *simpleMeterRegistry) Snapshot() map[string]int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make(map[string]int64, len(r.counters))
	for k, v := range r.counters {
		out[k] = v.Load()
	}
	return out
}
