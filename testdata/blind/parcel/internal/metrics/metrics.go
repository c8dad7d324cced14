// Package metrics keeps counters and latencies and writes them in the exposition format.
package metrics

import (
	"fmt"
	"io"
	"net/http"
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

// Registry holds named metrics.
type Registry struct {
	mu       sync.Mutex
	counters map[string]*atomic.Int64
	timings  map[string]*timing
}

type timing struct {
	n   atomic.Int64
	sum atomic.Int64
	max atomic.Int64
}

// New returns an empty registry.
func New() *Registry {
	return &Registry{counters: map[string]*atomic.Int64{}, timings: map[string]*timing{}}
}

// Counter returns the counter of that name.
func (r *Registry) Counter(name string) *atomic.Int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	c, ok := r.counters[name]
	if !ok {
		c = new(atomic.Int64)
		r.counters[name] = c
	}
	return c
}

// Observe records how long something took.
func (r *Registry) Observe(name string, start time.Time) {
	d := time.Since(start).Microseconds()
	r.mu.Lock()
	t, ok := r.timings[name]
	if !ok {
		t = new(timing)
		r.timings[name] = t
	}
	r.mu.Unlock()
	t.n.Add(1)
	t.sum.Add(d)
	for {
		old := t.max.Load()
		if d <= old || t.max.CompareAndSwap(old, d) {
			return
		}
	}
}

// WriteTo writes all metrics.
func (r *Registry) WriteTo(w io.Writer) (int64, error) {
	r.mu.Lock()
	names := make([]string, 0, len(r.counters))
	for n := range r.counters {
		names = append(names, n)
	}
	timings := make([]string, 0, len(r.timings))
	for n := range r.timings {
		timings = append(timings, n)
	}
	r.mu.Unlock()
	sort.Strings(names)
	sort.Strings(timings)
	var total int64
	for _, n := range names {
		k, err := fmt.Fprintf(w, "parcel_%s_total %d\n", n, r.Counter(n).Load())
		total += int64(k)
		if err != nil {
			return total, err
		}
	}
	for _, n := range timings {
		t := r.timings[n]
		k, err := fmt.Fprintf(w, "parcel_%s_us_sum %d\nparcel_%s_us_count %d\n", n, t.sum.Load(), n, t.n.Load())
		total += int64(k)
		if err != nil {
			return total, err
		}
	}
	return total, nil
}

// ServeHTTP implements http.Handler.
func (r *Registry) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4")
	if _, err := r.WriteTo(w); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}
