// Package metrics counts things and shows them as text.
package metrics

import (
	"fmt"
	"net/http"
	"sort"
	"sync"
	"time"
)

// Set is a set of named counters and timers.
type Set struct {
	mu     sync.Mutex
	counts map[string]int64
	times  map[string]time.Duration
}

// New returns an empty set.
func New() *Set {
	return &Set{counts: map[string]int64{}, times: map[string]time.Duration{}}
}

// Inc adds one to name.
func (s *Set) Inc(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts[name]++
}

// Observe adds d to name.
func (s *Set) Observe(name string, d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts[name]++
	s.times[name] += d
}

// Time observes the time from now until the returned function is called.
func (s *Set) Time(name string) func() {
	start := time.Now()
	return func() { s.Observe(name, time.Since(start)) }
}

// ServeHTTP writes all counters.
func (s *Set) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	names := make([]string, 0, len(s.counts))
	for n := range s.counts {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		fmt.Fprintf(w, "%s_total %d\n", n, s.counts[n])
		if d := s.times[n]; d > 0 {
			fmt.Fprintf(w, "%s_seconds %.3f\n", n, d.Seconds())
		}
	}
}
