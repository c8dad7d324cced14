// Package port has the generic store that most domains need, and its decorators.
package port

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/carebook/appointments/internal/platform/cache"
	"github.com/carebook/appointments/internal/platform/metrics"
	"github.com/carebook/appointments/internal/platform/retry"
)

// ErrNotFound is returned for keys that no live value has.
var ErrNotFound = errors.New("not found")

// Store is a port: adapters implement it, services use it.
type Store[K comparable, V any] interface {
	Get(ctx context.Context, k K) (V, error)
	Put(ctx context.Context, k K, v V) error
	Delete(ctx context.Context, k K) error
}

type retried[K comparable, V any] struct {
	next   Store[K, V]
	policy retry.Policy
}

// WithRetry repeats what failed for a passing reason.
func WithRetry[K comparable, V any](next Store[K, V], p retry.Policy) Store[K, V] {
	return retried[K, V]{next, p}
}

func (r retried[K, V]) Get(ctx context.Context, k K) (V, error) {
	return retry.Do(ctx, r.policy, func(ctx context.Context) (V, error) {
		v, err := r.next.Get(ctx, k)
		if errors.Is(err, ErrNotFound) {
			err = retry.Permanent(err)
		}
		return v, err
	})
}

func (r retried[K, V]) Put(ctx context.Context, k K, v V) error {
	return retry.Run(ctx, r.policy, func(ctx context.Context) error { return r.next.Put(ctx, k, v) })
}

func (r retried[K, V]) Delete(ctx context.Context, k K) error {
	return retry.Run(ctx, r.policy, func(ctx context.Context) error { return r.next.Delete(ctx, k) })
}

type metered[K comparable, V any] struct {
	Store[K, V]
	get, put *metrics.Series
}

// WithMetrics counts calls.
func WithMetrics[K comparable, V any](next Store[K, V], reg *metrics.Registry, name string) Store[K, V] {
	return metered[K, V]{next, reg.Get(name + ".get"), reg.Get(name + ".put")}
}

func (m metered[K, V]) Get(ctx context.Context, k K) (v V, err error) {
	defer func(t time.Time) { m.get.Observe(t, err) }(time.Now())
	return m.Store.Get(ctx, k)
}

func (m metered[K, V]) Put(ctx context.Context, k K, v V) (err error) {
	defer func(t time.Time) { m.put.Observe(t, err) }(time.Now())
	return m.Store.Put(ctx, k, v)
}

type cached[K comparable, V any] struct {
	Store[K, V]
	cache *cache.Cache[K, V]
}

// WithCache answers from memory when it can.
func WithCache[K comparable, V any](next Store[K, V], c *cache.Cache[K, V]) Store[K, V] {
	return cached[K, V]{next, c}
}

func (c cached[K, V]) Get(ctx context.Context, k K) (V, error) {
	if v, ok := c.cache.Get(k); ok {
		return v, nil
	}
	v, err := c.Store.Get(ctx, k)
	if err == nil {
		c.cache.Put(k, v)
	} else {
		slog.DebugContext(ctx, "cache fill failed", "err", err)
	}
	return v, err
}

func (c cached[K, V]) Put(ctx context.Context, k K, v V) error {
	c.cache.Drop(k)
	return c.Store.Put(ctx, k, v)
}

func (c cached[K, V]) Delete(ctx context.Context, k K) error {
	c.cache.Drop(k)
	return c.Store.Delete(ctx, k)
}
