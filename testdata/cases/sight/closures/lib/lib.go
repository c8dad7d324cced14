// Package lib makes functions that others call.
package lib

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// Clock tells the time.
type Clock interface{ Now() time.Time }

// System is the clock of the machine.
type System struct{}

// Now returns the time.
func (System) Now() time.Time { return time.Now() }

// Stamp makes a timestamp.
type Stamp func() bigtable.Timestamp

// NowTS reads the clock.
func NowTS(c Clock) bigtable.Timestamp { return bigtable.Time(c.Now()) }

// StampNow makes timestamps of the current time.
func StampNow(c Clock) Stamp { return func() bigtable.Timestamp { return NowTS(c) } }

// StampServer leaves the timestamp to the server.
func StampServer() Stamp { return func() bigtable.Timestamp { return bigtable.ServerTime } }

// StampFunc makes timestamps of what a function says.
func StampFunc(now func() time.Time) Stamp {
	return func() bigtable.Timestamp { return bigtable.Time(now()) }
}

// After makes timestamps that lie ahead.
func After(now func() time.Time, d time.Duration) func() bigtable.Timestamp {
	return func() bigtable.Timestamp { return bigtable.Time(now().Add(d)) }
}

// For makes a function that says when what begins then is over.
func For(d time.Duration) func(from time.Time) bigtable.Timestamp {
	return func(from time.Time) bigtable.Timestamp { return bigtable.Time(from.Add(d)) }
}

// Scaled makes functions of a scale.
func Scaled(scale int64) func(n int64) bigtable.Timestamp {
	return func(n int64) bigtable.Timestamp { return bigtable.Timestamp(n * scale) }
}

// Live makes a filter of the cells that are not expired.
func Live(now func() time.Time) func() bigtable.Filter {
	return func() bigtable.Filter { return bigtable.TimestampRangeFilter(now(), time.Time{}) }
}

// Ended makes a filter of a family with an end.
func Ended(family string) func(until time.Time) bigtable.Filter {
	return func(until time.Time) bigtable.Filter {
		return bigtable.ChainFilters(bigtable.FamilyFilter(family), bigtable.TimestampRangeFilter(time.Time{}, until))
	}
}

// Age makes a policy.
func Age(d time.Duration) func() bigtable.GCPolicy {
	return func() bigtable.GCPolicy { return bigtable.MaxAgePolicy(d) }
}

// A Writer writes one column.
type Writer func(m *bigtable.Mutation, v []byte)

// Column makes a writer of a column.
func Column(family, column string, stamp Stamp) Writer {
	return func(m *bigtable.Mutation, v []byte) { m.Set(family, column, stamp(), v) }
}

// Family makes a function that names a family.
func Family(name string) func() string { return func() string { return name } }
