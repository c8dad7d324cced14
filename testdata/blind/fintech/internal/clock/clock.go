// Package clock is the only place that asks the machine for the time.
package clock

import (
	"sync"
	"time"
)

// Clock tells the time.
type Clock interface {
	Now() time.Time
}

// System is the machine's clock.
type System struct{}

// Now implements Clock.
func (System) Now() time.Time { return time.Now().UTC() }

// Manual is a clock that tests move by hand.
type Manual struct {
	mu sync.Mutex
	t  time.Time
}

// NewManual starts a Manual at t.
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
	m.t = m.t.Add(d)
	m.mu.Unlock()
}

// Since is time.Since for any clock.
func Since(c Clock, t time.Time) time.Duration { return c.Now().Sub(t) }
