// Package clock has clocks, and a stamp that is none.
package clock

import "time"

// A Clock tells the time.
type Clock interface{ Now() time.Time }

// System is the system's.
type System struct{}

// Now is the time.
func (System) Now() time.Time { return time.Now() }

// Func makes a clock of a function.
type Func func() time.Time

// Now is what the function says.
func (f Func) Now() time.Time { return f() }

// Skewed goes ahead of another clock, or behind.
type Skewed struct {
	Base Clock
	By   time.Duration
}

// Now is the other's, and what it is ahead.
func (s Skewed) Now() time.Time { return s.Base.Now().Add(s.By) }

// A Stamp says which timestamp a cell gets.
type Stamp interface{ Of() time.Time }

// Plain is the time.
type Plain struct{}

// Of is the time.
func (Plain) Of() time.Time { return time.Now() }

// Later is an hour later than another.
type Later struct{ Base Stamp }

// Of is an hour later.
func (l Later) Of() time.Time { return l.Base.Of().Add(time.Hour) }
