// Package policy holds the small decisions of the checkout: how long something lives, how often something is tried.
package policy

import "time"

// Lifetime says until when something that is made now is valid.
type Lifetime interface {
	Until(now time.Time) time.Time
}

// For is a fixed lifetime.
type For time.Duration

// Until is now + f.
func (f For) Until(now time.Time) time.Time { return now.Add(time.Duration(f)) }

// Instant is for what is only written to be seen by change streams.
type Instant struct{}

// Until is now.
func (Instant) Until(now time.Time) time.Time { return now }

// EndOfDay lives until midnight in a zone.
type EndOfDay struct{ Zone *time.Location }

// Until is the next midnight.
func (e EndOfDay) Until(now time.Time) time.Time {
	y, m, d := now.In(e.Zone).Date()
	return time.Date(y, m, d+1, 0, 0, 0, 0, e.Zone)
}

// Capped is the shorter of a lifetime and a limit.
type Capped struct {
	Inner Lifetime
	Max   time.Duration
}

// Until is the inner moment, at most Max from now.
func (c Capped) Until(now time.Time) time.Time {
	u, limit := c.Inner.Until(now), now.Add(c.Max)
	if u.After(limit) {
		return limit
	}
	return u
}

// Retry says how long to wait before try n, and whether to try at all.
type Retry interface {
	Wait(n int) (time.Duration, bool)
}

// Backoff doubles.
type Backoff struct {
	First time.Duration
	Tries int
}

// Wait implements Retry.
func (b Backoff) Wait(n int) (time.Duration, bool) {
	if n >= b.Tries {
		return 0, false
	}
	return b.First << n, true
}
