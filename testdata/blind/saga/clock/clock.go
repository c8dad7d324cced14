// Package clock is where the checkout gets the time from.
package clock

import "time"

// Clock tells the time.
type Clock interface {
	Now() time.Time
}

// System is the clock of the machine.
type System struct{}

// Now is the current time.
func (System) Now() time.Time { return time.Now().UTC() }

// Func makes a clock of a function.
type Func func() time.Time

// Now calls f.
func (f Func) Now() time.Time { return f() }
