// Package telemetry counts and times things.
package telemetry

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

// Registry holds counters and durations by name.
type Registry struct {
	mu       sync.Mutex
	counters map[string]*atomic.Int64
	timers   map[string]*timer
}

type timer struct {
	n     atomic.Int64
	total atomic.Int64
}

// NewRegistry is empty.
func NewRegistry() *Registry {
	return &Registry{counters: map[string]*atomic.Int64{}, timers: map[string]*timer{}}
}

// Inc adds one to a counter.
func (r *Registry) Inc(name string) {
	r.mu.Lock()
	c := r.counters[name]
	if c == nil {
		c = new(atomic.Int64)
		r.counters[name] = c
	}
	r.mu.Unlock()
	c.Add(1)
}

// Observe adds a duration.
func (r *Registry) Observe(name string, d time.Duration) {
	r.mu.Lock()
	t := r.timers[name]
	if t == nil {
		t = new(timer)
		r.timers[name] = t
	}
	r.mu.Unlock()
	t.n.Add(1)
	t.total.Add(int64(d))
}

// WriteTo prints the registry in the text format that our scraper reads.
func (r *Registry) WriteTo(w io.Writer) (int64, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var names []string
	for n := range r.counters {
		names = append(names, n)
	}
	sort.Strings(names)
	var total int64
	for _, n := range names {
		k, err := fmt.Fprintf(w, "%s %d\n", n, r.counters[n].Load())
		total += int64(k)
		if err != nil {
			return total, err
		}
	}
	for n, t := range r.timers {
		k, err := fmt.Fprintf(w, "%s_ns %d\n%s_n %d\n", n, t.total.Load(), n, t.n.Load())
		total += int64(k)
		if err != nil {
			return total, err
		}
	}
	return total, nil
}

// Span is a poor man's trace span.
type Span struct {
	name  string
	start time.Time
	log   *slog.Logger
}

// StartSpan begins a span.
func StartSpan(ctx context.Context, log *slog.Logger, name string) (context.Context, *Span) {
	return ctx, &Span{name: name, start: time.Now(), log: log}
}

// End logs the span.
func (s *Span) End(err error) {
	s.log.Debug("span", "name", s.name, "took", time.Since(s.start), "err", err)
}
