// Package clocks has clocks.
package clocks

import "time"

// Clock tells the time.
type Clock interface{ Now() time.Time }

// System is the machine's.
type System struct{}

// Now is the current time.
func (System) Now() time.Time { return time.Now() }

// Ticker is another clock, of which there is a fake.
type Ticker interface{ Now() time.Time }

// Fake stands.
type Fake struct{ t time.Time }

// Now is what it was set to.
func (f *Fake) Now() time.Time { return f.t }

// Advance moves it.
func (f *Fake) Advance(d time.Duration) { f.t = f.t.Add(d) }

// Dated is no clock.
type Dated interface{ Day() time.Time }

// Epoch is one.
type Epoch struct{}

// Day is its day.
func (Epoch) Day() time.Time { return time.Unix(0, 0) }
