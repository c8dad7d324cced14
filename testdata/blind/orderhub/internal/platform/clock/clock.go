// Package clock hides the time of day behind an interface, so that tests can set it.
package clock

import (
	"sync"
	"time"

	"cloud.google.com/go/bigtable"
)

// Clock tells the time.
type Clock interface {
	Now() time.Time
}

// SystemClock is the Clock of production.
type SystemClock struct{}

// NewSystemClock returns the Clock of production.
func NewSystemClock() *SystemClock { return &SystemClock{} }

// Now implements Clock.
func (*SystemClock) Now() time.Time { return time.Now() }

// Timestamp returns the given instant as the store spells it.
func Timestamp(t time.Time) bigtable.Timestamp {
	return bigtable.Time(t)
}

// NowTimestamp returns the current time as the store spells it.
func NowTimestamp() bigtable.Timestamp {
	return bigtable.Now()
}

// ExpiresIn returns the timestamp of a cell that lives for d.
func ExpiresIn(d time.Duration) bigtable.Timestamp {
	return bigtable.Time(time.Now().Add(d))
}

// startedAt is when this process started; the status page shows it.
var startedAt = time.Now() // want ttlwrite/stale-clock[started]

// StartedAt returns when this process started.
func StartedAt() time.Time { return startedAt }

var (
	bootOnce sync.Once
	bootTime time.Time // want ttlwrite/stale-clock[booted]
)

// BootTime returns the time at which somebody first asked for it.
func BootTime() time.Time {
	bootOnce.Do(func() { bootTime = time.Now() }) // want ttlwrite/stale-clock[booted]
	return bootTime
}

// Stopwatch measures how long calls take.
type Stopwatch struct {
	clock Clock
	start time.Time
}

// NewStopwatch returns a Stopwatch that runs.
func NewStopwatch(c Clock) *Stopwatch { return &Stopwatch{clock: c, start: c.Now()} }

// Elapsed returns the time since the Stopwatch was made.
func (s *Stopwatch) Elapsed() time.Duration { return s.clock.Now().Sub(s.start) }
