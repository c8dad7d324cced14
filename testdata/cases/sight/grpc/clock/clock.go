// Package clock tells the time.
package clock

import "time"

// Clock tells the time.
type Clock interface{ Now() time.Time }

// Func is a Clock.
type Func func() time.Time

// Now implements Clock.
func (f Func) Now() time.Time { return f() }

// System is the Clock of production.
func System() Clock { return Func(time.Now) }
