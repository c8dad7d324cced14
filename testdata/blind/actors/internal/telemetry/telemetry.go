// Package telemetry counts and times.
package telemetry

import (
	"expvar"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// Counter is a named counter.
type Counter struct{ v *expvar.Int }

// Registry holds the counters of a process.
type Registry struct {
	mu    sync.Mutex
	ns    string
	all   map[string]*Counter
	times map[string]*Timer
}

// New returns an empty registry; ns is put before every name.
func New(ns string) *Registry {
	return &Registry{ns: ns, all: map[string]*Counter{}, times: map[string]*Timer{}}
}

// Counter returns the counter of that name.
func (r *Registry) Counter(name string) *Counter {
	r.mu.Lock()
	defer r.mu.Unlock()
	c, ok := r.all[name]
	if !ok {
		c = &Counter{v: expvar.NewInt(r.ns + "." + name)}
		r.all[name] = c
	}
	return c
}

// Add adds n.
func (c *Counter) Add(n int64) {
	if c != nil {
		c.v.Add(n)
	}
}

// Inc adds one.
func (c *Counter) Inc() { c.Add(1) }

// Timer keeps the sum and the number of durations.
type Timer struct {
	mu  sync.Mutex
	n   int64
	sum time.Duration
	max time.Duration
}

// Timer returns the timer of that name.
func (r *Registry) Timer(name string) *Timer {
	r.mu.Lock()
	defer r.mu.Unlock()
	t, ok := r.times[name]
	if !ok {
		t = &Timer{}
		r.times[name] = t
	}
	return t
}

// Since records the time from start until now.
func (t *Timer) Since(start time.Time) { t.Observe(time.Since(start)) }

// Observe records d.
func (t *Timer) Observe(d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n++
	t.sum += d
	t.max = max(t.max, d)
}

// ServeHTTP prints the timers.
func (r *Registry) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for name, t := range r.times {
		t.mu.Lock()
		avg := time.Duration(0)
		if t.n > 0 {
			avg = t.sum / time.Duration(t.n)
		}
		fmt.Fprintf(w, "%s.%s n=%d avg=%s max=%s\n", r.ns, name, t.n, avg, t.max)
		t.mu.Unlock()
	}
}
