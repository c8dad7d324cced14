// Package clock lets tests say what time it is.
package clock

import "time"

// Clock tells the time.
type Clock interface {
	Now() time.Time
}

// System is the machine's clock.
type System struct{}

// Now implements Clock.
func (System) Now() time.Time { return time.Now() }

// Fixed is a clock for tests.
type Fixed struct{ T time.Time }

// Now implements Clock.
func (f Fixed) Now() time.Time { return f.T }

// Func adapts a function.
type Func func() time.Time

// Now implements Clock.
func (f Func) Now() time.Time { return f() }
