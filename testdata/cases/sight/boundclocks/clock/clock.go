// Package clock has what tells the time.
package clock

import "time"

// A Clock tells the time.
type Clock interface{ Now() time.Time }

// System is the system's clock.
type System struct{}

// Now is the current time.
func (System) Now() time.Time { return time.Now() }
