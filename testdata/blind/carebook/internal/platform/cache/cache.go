// Package cache is a small map with ages.
package cache

import (
	"sync"
	"time"

	"github.com/carebook/appointments/internal/platform/clock"
)

type entry[V any] struct {
	value V
	until time.Time
}

// Cache keeps values for a fixed time.
type Cache[K comparable, V any] struct {
	mu    sync.Mutex
	ttl   time.Duration
	limit int
	clock clock.Clock
	m     map[K]entry[V]
}

// New returns a cache that keeps each value for ttl.
func New[K comparable, V any](ttl time.Duration, limit int, c clock.Clock) *Cache[K, V] {
	return &Cache[K, V]{ttl: ttl, limit: limit, clock: c, m: map[K]entry[V]{}}
}

// Get returns a value that is still fresh.
func (c *Cache[K, V]) Get(k K) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.m[k]
	if !ok || !c.clock.Now().Before(e.until) {
		var zero V
		delete(c.m, k)
		return zero, false
	}
	return e.value, true
}

// Put stores a value.
func (c *Cache[K, V]) Put(k K, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.m) >= c.limit {
		for old := range c.m {
			delete(c.m, old)
			break
		}
	}
	c.m[k] = entry[V]{v, c.clock.Now().Add(c.ttl)}
}

// Drop forgets a value.
func (c *Cache[K, V]) Drop(k K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.m, k)
}
