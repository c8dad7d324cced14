// Package clock is where the engine gets its time from.
package clock

import (
	"sync"
	"time"
)

// Clock tells the time. Everything that waits or stamps takes one.
type Clock interface {
	Now() time.Time
}

// System is the wall clock.
type System struct{}

// Now implements Clock.
func (System) Now() time.Time { return time.Now() }

// Func adapts a function.
type Func func() time.Time

// Now implements Clock.
func (f Func) Now() time.Time { return f() }

// Skewed shifts another clock, for the chaos suite.
type Skewed struct {
	Base Clock
	By   time.Duration
}

// Now implements Clock.
func (s Skewed) Now() time.Time { return s.Base.Now().Add(s.By) }

// Manual is moved by hand.
type Manual struct {
	mu sync.Mutex
	t  time.Time
}

// NewManual starts at t.
func NewManual(t time.Time) *Manual { return &Manual{t: t} }

// Now implements Clock.
func (m *Manual) Now() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.t
}

// Advance moves the clock.
func (m *Manual) Advance(d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.t = m.t.Add(d)
}

// Stopwatch measures one activity.
type Stopwatch struct {
	clk   Clock
	start time.Time
}

// Start begins a measurement.
func Start(c Clock) Stopwatch { return Stopwatch{clk: c, start: c.Now()} }

// Elapsed is what has passed since.
func (s Stopwatch) Elapsed() time.Duration { return s.clk.Now().Sub(s.start) }
