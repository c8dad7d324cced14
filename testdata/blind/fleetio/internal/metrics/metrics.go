// Package metrics counts things and serves them as text.
package metrics

import (
	"fmt"
	"net/http"
	"sort"
	"sync"
	"time"
)

// Registry holds counters by name.
type Registry struct {
	mu     sync.Mutex
	counts map[string]int64
}

// New returns an empty registry.
func New() *Registry { return &Registry{counts: map[string]int64{}} }

// Inc adds n to a counter.
func (r *Registry) Inc(name string, n int64) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.counts[name] += n
}

// Since records the time since start.
func (r *Registry) Since(name string, start time.Time) {
	r.Inc(name+"_count", 1)
	r.Inc(name+"_micros", time.Since(start).Microseconds())
}

// ServeHTTP writes everything as text.
func (r *Registry) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	names := make([]string, 0, len(r.counts))
	for k := range r.counts {
		names = append(names, k)
	}
	sort.Strings(names)
	for _, k := range names {
		fmt.Fprintf(w, "%s %d\n", k, r.counts[k])
	}
}
