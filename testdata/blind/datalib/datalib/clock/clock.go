// Package clock turns moments and numbers into cell timestamps.
package clock

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// Clock is what tests replace.
type Clock interface{ Now() time.Time }

// Wall is the system's clock.
type Wall struct{}

// Now is time.Now.
func (Wall) Now() time.Time { return time.Now() }

// NowTS is the current time as a cell timestamp.
func NowTS() bigtable.Timestamp { return bigtable.Now() }

// In is the timestamp of a cell that expires after d.
func In(d time.Duration) bigtable.Timestamp {
	return bigtable.Time(time.Now().Add(d))
}

// At is the timestamp of a cell that expires at t.
func At(t time.Time) bigtable.Timestamp { return bigtable.Time(t) }

// Seq is the timestamp of the nth version of a counted cell.
func Seq(n int64) bigtable.Timestamp { return bigtable.Timestamp(n * 1000) }

// RawSeq is the old form of Seq; kept for the importers.
func RawSeq(n int64) bigtable.Timestamp { return bigtable.Timestamp(n) }

// Shift moves the write time so that a cell of a family with default lifetime def lives for d.
func Shift(d, def time.Duration) bigtable.Timestamp {
	return bigtable.Time(time.Now().Add(d - def))
}

// Server lets the server choose.
const Server = bigtable.ServerTime
