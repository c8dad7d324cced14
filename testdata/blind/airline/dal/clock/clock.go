// Package clock is the seam for time in tests.
package clock

import "time"

// Clock tells the time.
type Clock interface{ Now() time.Time }

// System is the real clock.
type System struct{}

// Now implements Clock.
func (System) Now() time.Time { return time.Now() }

// Fixed is for tests.
type Fixed struct{ T time.Time }

// Now implements Clock.
func (f Fixed) Now() time.Time { return f.T }

// In returns the moment d from now.
func In(d time.Duration) time.Time { return time.Now().Add(d) }

// Ago returns the moment d before now.
func Ago(d time.Duration) time.Time { return time.Now().Add(-d) }
