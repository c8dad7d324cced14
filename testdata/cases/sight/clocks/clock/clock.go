// Package clock is what the program asks for the time.
package clock

import "time"

// A Clock tells the time.
type Clock interface{ Now() time.Time }

// System is the machine's clock.
type System struct{}

// Now returns the current time.
func (System) Now() time.Time { return time.Now() }

// Func makes a clock of a function.
type Func func() time.Time

// Now calls f.
func (f Func) Now() time.Time { return f() }

// Truncated shows whole milliseconds of another clock.
type Truncated struct{ Clock }

// Now returns the time of the clock below.
func (t Truncated) Now() time.Time { return t.Clock.Now().UTC().Truncate(time.Millisecond) }
