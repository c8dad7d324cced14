// Package ports has what the domain needs.
package ports

import "time"

// A Clock tells the time.
type Clock interface{ Now() time.Time }

// A TimeSource does, too.
type TimeSource func() time.Time

// System is the system's clock.
type System struct{}

// Now is the current time.
func (System) Now() time.Time { return time.Now().UTC() }
