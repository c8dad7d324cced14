// Package clocks tells the time.
package clocks

import "time"

// Clock tells the time.
type Clock interface{ Now() time.Time }

// System is the system's clock.
type System struct{}

// Now is the current time.
func (System) Now() time.Time { return time.Now() }

// Func is a function as a clock.
type Func func() time.Time

// Now is what the function says.
func (f Func) Now() time.Time { return f() }

// Or is the system's clock where there is none.
func Or(c Clock) Clock {
	if c == nil {
		return System{}
	}
	return c
}
