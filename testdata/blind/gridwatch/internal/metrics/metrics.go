// Package metrics is a minimal counter registry; the exporter lives elsewhere.
package metrics

import (
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

// Counter counts.
type Counter struct{ n atomic.Int64 }

// Add adds n.
func (c *Counter) Add(n int64) { c.n.Add(n) }

// Inc adds one and returns the new value.
func (c *Counter) Inc() int64 { return c.n.Add(1) }

// Value is the present count.
func (c *Counter) Value() int64 { return c.n.Load() }

// Registry names counters and timers.
type Registry struct {
	mu       sync.Mutex
	counters map[string]*Counter
	timers   map[string]time.Duration
}

// NewRegistry returns an empty registry.
func NewRegistry() *Registry {
	return &Registry{counters: map[string]*Counter{}, timers: map[string]time.Duration{}}
}

// Counter returns the counter of that name, making it if need be.
func (r *Registry) Counter(name string) *Counter {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.counters[name]
	if c == nil {
		c = new(Counter)
		r.counters[name] = c
	}
	return c
}

// Observe adds d to a timer.
func (r *Registry) Observe(name string, d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.timers[name] += d
}

// Names lists what was counted, sorted.
func (r *Registry) Names() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	names := make([]string, 0, len(r.counters))
	for n := range r.counters {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}
