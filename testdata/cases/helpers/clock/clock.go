// Package clock tells the time. It does not import the client.
package clock

import "time"

// A Clock can be replaced in tests.
type Clock interface{ Now() time.Time }

// System is the clock of the machine.
type System struct{}

func (System) Now() time.Time { return time.Now().UTC() }

// Now returns the current time.
func Now() time.Time { return time.Now().UTC() }

// In returns the time after a while.
func In(d time.Duration) time.Time { return Now().Add(d) }

// Micros converts a time.
func Micros(t time.Time) int64 { return t.UnixNano() / 1000 }

// Millis converts a time.
func Millis(t time.Time) int64 { return t.UnixMilli() }

// Expired reports whether a time has passed.
func Expired(t time.Time) bool { return !t.After(Now()) }

// Minutes makes a duration.
func Minutes(n int) time.Duration { return time.Duration(n) * time.Minute }
