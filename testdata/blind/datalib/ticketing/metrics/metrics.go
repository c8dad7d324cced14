// Package metrics counts requests without a library.
package metrics

import (
	"fmt"
	"net/http"
	"sort"
	"sync"
	"time"
)

// Registry holds counters.
type Registry struct {
	mu     sync.Mutex
	counts map[string]int64
	sums   map[string]time.Duration
}

// New makes a registry.
func New() *Registry {
	return &Registry{counts: map[string]int64{}, sums: map[string]time.Duration{}}
}

// Observe counts one call.
func (r *Registry) Observe(name string, d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.counts[name]++
	r.sums[name] += d
}

// Wrap measures a handler.
func (r *Registry) Wrap(name string, h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, q *http.Request) {
		start := time.Now()
		h(w, q)
		r.Observe(name, time.Since(start)) // ok ttlage/not-write-time
	}
}

// ServeHTTP prints the counters.
func (r *Registry) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	names := make([]string, 0, len(r.counts))
	for n := range r.counts {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		fmt.Fprintf(w, "%s_count %d\n%s_seconds %f\n", n, r.counts[n], n, r.sums[n].Seconds())
	}
}
