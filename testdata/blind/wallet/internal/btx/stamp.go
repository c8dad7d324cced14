package btx

import (
	"time"

	"cloud.google.com/go/bigtable"

	"wallet.example/platform/internal/clock"
)

// ExpiresIn is the timestamp of a cell that is to live for d from now on.
func ExpiresIn(c clock.Clock, d time.Duration) bigtable.Timestamp {
	return bigtable.Time(c.Now().Add(d))
}

// ExpiresAt is the timestamp of a cell that is to live until t.
func ExpiresAt(t time.Time) bigtable.Timestamp {
	return bigtable.Time(t)
}

// Stamp is the current time.
func Stamp(c clock.Clock) bigtable.Timestamp {
	return bigtable.Time(c.Now())
}

// Shifted is the timestamp of a cell that is to live for d in a family whose
// policy lets cells live for def.
func Shifted(c clock.Clock, d, def time.Duration) bigtable.Timestamp {
	return bigtable.Time(c.Now().Add(d - def))
}

// Sequence is the timestamp of the n-th version of a cell.
func Sequence(n int64) bigtable.Timestamp {
	return bigtable.Timestamp(n * 1000) // ok ttlunit/sub-millisecond
}

// SequenceNumber undoes Sequence.
func SequenceNumber(ts bigtable.Timestamp) int64 {
	return int64(ts) / 1000
}

// Zero is the timestamp of cells that have a single version.
const Zero bigtable.Timestamp = 0
