// Package clock has clocks that are functions, with methods that call them.
package clock

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// Clock tells the time.
type Clock func() time.Time

// System is the machine's clock.
func System() Clock { return time.Now }

// Fixed always tells the same.
func Fixed(t time.Time) Clock { return func() time.Time { return t } }

// Now tells the time.
func (c Clock) Now() time.Time { return c() }

// Ago is the time before d.
func (c Clock) Ago(d time.Duration) time.Time { return c().Add(-d) }

// TS is the time as a timestamp.
func (c Clock) TS() bigtable.Timestamp { return bigtable.Time(c.Now()) }

// Stamp writes the time.
func (c Clock) Stamp(m *bigtable.Mutation) {
	m.Set("ticket", "at", bigtable.Time(c()), nil) // want `write-time`
}

// Named is made of functions elsewhere only: what it tells, its method's name says.
type Named func() time.Time

// Now tells the time.
func (n Named) Now() time.Time { return n() }

// Moment is made of functions elsewhere only, and nothing says what it tells.
type Moment func() time.Time

// At tells a moment.
func (m Moment) At() time.Time { return m() }

// Deadline tells when it is too late.
type Deadline func() time.Time

// In is the time after d.
func In(d time.Duration) Deadline { return func() time.Time { return time.Now().Add(d) } }

// Never is the end of days.
func Never() Deadline { return func() time.Time { return time.Date(2999, 1, 1, 0, 0, 0, 0, time.UTC) } }

// Now tells it as of now.
func (d Deadline) Now() time.Time { return d() }

// A Source is what only functions are made.
type Source interface{ Now() time.Time }

// SourceFunc is a Source.
type SourceFunc func() time.Time

// Now tells the time.
func (f SourceFunc) Now() time.Time { return f() }
