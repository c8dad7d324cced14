// Package metrics counts calls and keeps coarse latency histograms, in the text format of Prometheus.
package metrics

import (
	"fmt"
	"io"
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

var bounds = []time.Duration{time.Millisecond, 5 * time.Millisecond, 20 * time.Millisecond, 100 * time.Millisecond, 500 * time.Millisecond, 2 * time.Second}

// Registry holds all series of a process.
type Registry struct {
	mu     sync.Mutex
	series map[string]*Series
}

// NewRegistry returns an empty registry.
func NewRegistry() *Registry { return &Registry{series: map[string]*Series{}} }

// Series is one counter with its histogram.
type Series struct {
	calls, errors atomic.Int64
	buckets       [7]atomic.Int64
}

// Get returns the series of a name, made when it is new.
func (r *Registry) Get(name string) *Series {
	r.mu.Lock()
	defer r.mu.Unlock()
	s, ok := r.series[name]
	if !ok {
		s = &Series{}
		r.series[name] = s
	}
	return s
}

// Observe records one call.
func (s *Series) Observe(start time.Time, err error) {
	d := time.Since(start)
	s.calls.Add(1)
	if err != nil {
		s.errors.Add(1)
	}
	i := 0
	for i < len(bounds) && d > bounds[i] {
		i++
	}
	s.buckets[i].Add(1)
}

// WriteTo prints all series.
func (r *Registry) WriteTo(w io.Writer) (int64, error) {
	r.mu.Lock()
	names := make([]string, 0, len(r.series))
	for n := range r.series {
		names = append(names, n)
	}
	r.mu.Unlock()
	sort.Strings(names)
	var total int64
	for _, n := range names {
		s := r.Get(n)
		k, err := fmt.Fprintf(w, "carebook_calls_total{op=%q} %d\ncarebook_errors_total{op=%q} %d\n", n, s.calls.Load(), n, s.errors.Load())
		total += int64(k)
		if err != nil {
			return total, err
		}
	}
	return total, nil
}
