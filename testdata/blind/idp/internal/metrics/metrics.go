// Package metrics counts what the service does.
package metrics

import (
	"fmt"
	"net/http"
	"sort"
	"sync"
	"time"
)

// Registry holds counters and the sums of durations.
type Registry struct {
	mu       sync.Mutex
	counters map[string]int64
	sums     map[string]time.Duration
}

// New returns an empty registry.
func New() *Registry {
	return &Registry{counters: map[string]int64{}, sums: map[string]time.Duration{}}
}

func (r *Registry) Inc(name string) { r.Add(name, 1) }

func (r *Registry) Add(name string, n int64) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.counters[name] += n
}

func (r *Registry) Observe(name string, start time.Time) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.counters[name+"_count"]++
	r.sums[name] += time.Since(start)
}

func (r *Registry) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	names := make([]string, 0, len(r.counters))
	for n := range r.counters {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		fmt.Fprintf(w, "idp_%s %d\n", n, r.counters[n])
	}
	for n, d := range r.sums {
		fmt.Fprintf(w, "idp_%s_seconds_sum %f\n", n, d.Seconds())
	}
}
