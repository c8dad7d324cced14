// Package metrics counts things and serves them as text.
package metrics

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Set is a set of named counters and timings.
type Set struct {
	mu       sync.RWMutex
	counters map[string]*atomic.Int64
	sums     map[string]*atomic.Int64
}

// NewSet returns an empty set.
func NewSet() *Set {
	return &Set{counters: map[string]*atomic.Int64{}, sums: map[string]*atomic.Int64{}}
}

func (s *Set) get(m map[string]*atomic.Int64, name string) *atomic.Int64 {
	s.mu.RLock()
	c := m[name]
	s.mu.RUnlock()
	if c != nil {
		return c
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if c = m[name]; c == nil {
		c = new(atomic.Int64)
		m[name] = c
	}
	return c
}

// Inc adds one.
func (s *Set) Inc(name string) { s.Add(name, 1) }

// Add adds n.
func (s *Set) Add(name string, n int64) {
	if s != nil {
		s.get(s.counters, name).Add(n)
	}
}

// Observe records how long something took.
func (s *Set) Observe(name string, d time.Duration) {
	if s == nil {
		return
	}
	s.get(s.counters, name+"_count").Add(1)
	s.get(s.sums, name+"_us").Add(d.Microseconds())
}

// Since is Observe for a start time.
func (s *Set) Since(name string, start time.Time) { s.Observe(name, time.Since(start)) }

// Value is a counter's value.
func (s *Set) Value(name string) int64 { return s.get(s.counters, name).Load() }

// ServeHTTP lists everything.
func (s *Set) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var lines []string
	for n, c := range s.counters {
		lines = append(lines, fmt.Sprintf("%s %d", n, c.Load()))
	}
	for n, c := range s.sums {
		lines = append(lines, fmt.Sprintf("%s %d", n, c.Load()))
	}
	slices.Sort(lines)
	for _, l := range lines {
		fmt.Fprintln(w, l)
	}
}
