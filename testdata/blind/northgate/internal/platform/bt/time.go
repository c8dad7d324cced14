// Package bt holds what the services share when they talk to Bigtable:
// timestamps, filters, mutations, repositories and instrumentation.
package bt

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// Clock tells the time. Services take one so that tests can hold it still.
type Clock func() time.Time

// System is the clock of production.
var System Clock = time.Now

// NowTS is the current moment as a cell timestamp.
func NowTS() bigtable.Timestamp { return bigtable.Now() }

// TS reads the clock as a cell timestamp.
func (c Clock) TS() bigtable.Timestamp { return bigtable.Time(c()) }

// In is d from now on this clock.
func (c Clock) In(d time.Duration) bigtable.Timestamp { return bigtable.Time(c().Add(d)) }

// ExpireIn is the timestamp of a cell that lives for d from now, in a family
// whose cells are collected at their timestamp.
func ExpireIn(d time.Duration) bigtable.Timestamp {
	return bigtable.Time(time.Now().Add(d))
}

// ExpireAt is the timestamp of a cell that lives until t.
func ExpireAt(t time.Time) bigtable.Timestamp { return bigtable.Time(t) }

// Shifted is the timestamp of a cell that lives for want in a family whose
// policy gives every cell usual.
func Shifted(want, usual time.Duration) bigtable.Timestamp {
	return bigtable.Time(time.Now().Add(want - usual))
}

// Number is what sequences count with.
type Number interface {
	~int | ~int64 | ~uint32 | ~uint64
}

// Seq scales a sequence number to the granularity of timestamps.
func Seq[N Number](n N) bigtable.Timestamp { return bigtable.Timestamp(int64(n) * 1000) }

// SeqOf is the inverse of Seq.
func SeqOf(ts bigtable.Timestamp) int64 { return int64(ts) / 1000 }

// Epoch is the timestamp of cells that are overwritten in place.
const Epoch bigtable.Timestamp = 0

// FromUnix converts seconds since the epoch.
func FromUnix(sec int64) bigtable.Timestamp { return bigtable.Timestamp(sec * 1e6) }

// FromUnixMilli converts milliseconds since the epoch.
func FromUnixMilli(ms int64) bigtable.Timestamp { return bigtable.Timestamp(ms * 1000) }
