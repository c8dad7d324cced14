// Package clock tells the time.
package clock

import "time"

// Now is replaced by tests.
var Now = time.Now

// Today is replaced by what starts the program.
var Today = time.Now

// System is the machine's clock.
type System struct{}

// Now is the current time.
func (System) Now() time.Time { return time.Now() }

// Fake stands until it is moved.
type Fake struct{ at time.Time }

// NewFake returns a clock that stands.
func NewFake(at time.Time) *Fake { return &Fake{at} }

// Now is the time that was set.
func (f *Fake) Now() time.Time { return f.at }
