// Package clock is the platform's injectable source of time.
package clock

import (
	"sync"
	"time"
)

// Clock tells the time. Services take one so that tests can move it.
type Clock interface {
	Now() time.Time
}

// System is the wall clock.
type System struct{}

var _ Clock = System{}

// Now implements Clock.
func (System) Now() time.Time { return time.Now() }

// Fake is a clock that tests set. Its zero value stands at the Unix epoch.
type Fake struct {
	mu  sync.Mutex
	now time.Time
}

var _ Clock = (*Fake)(nil)

// NewFake returns a clock that stands at t.
func NewFake(t time.Time) *Fake { return &Fake{now: t} }

// Now implements Clock.
func (f *Fake) Now() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.now.IsZero() {
		return time.Unix(0, 0)
	}
	return f.now
}

// Advance moves the clock.
func (f *Fake) Advance(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now = f.now.Add(d)
}

// Result is what New provides.
type Result struct {
	Clock Clock
}

// New provides the wall clock.
func New() (Result, error) {
	return Result{Clock: System{}}, nil
}
