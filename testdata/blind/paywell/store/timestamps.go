package store

import (
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/paywell/clock"
)

// perNumber is how far apart the timestamps of two numbers are: Bigtable
// keeps milliseconds.
const perNumber = 1000

// expiresIn is the timestamp of a cell that lives for d.
func expiresIn(clk clock.Clock, d time.Duration) bigtable.Timestamp {
	return bigtable.Time(clk.Now().Add(d))
}

// writtenAt is the timestamp of an ordinary cell.
func writtenAt(clk clock.Clock) bigtable.Timestamp {
	return bigtable.Time(clk.Now())
}

// numbered is the timestamp of number n.
func numbered(n int64) bigtable.Timestamp {
	return bigtable.Timestamp(n * perNumber)
}

// bare is n as it is. The reports' tables count in microseconds.
func bare(n int64) bigtable.Timestamp {
	return bigtable.Timestamp(n)
}

// number is the number that a timestamp stands for.
func number(ts bigtable.Timestamp) int64 { return int64(ts) / perNumber }

// adjusted is the timestamp of a cell that lives for d in a family whose
// cells live for usual.
func adjusted(clk clock.Clock, usual, d time.Duration) bigtable.Timestamp {
	return bigtable.Time(clk.Now().Add(d - usual))
}
