package btx

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// Clock tells the time.
type Clock func() time.Time

// NowTS is the current time as a cell's timestamp.
func NowTS() bigtable.Timestamp { return bigtable.Time(time.Now()) }

// ExpiresIn is the timestamp of a cell that ends in d.
func ExpiresIn(d time.Duration) bigtable.Timestamp {
	return bigtable.Time(time.Now().Add(d))
}

// ExpiresAt is the timestamp of a cell that ends at t.
func ExpiresAt(t time.Time) bigtable.Timestamp {
	return bigtable.Time(t).TruncateToMilliseconds()
}

// Shifted is the timestamp of a cell that should live for life in a family
// whose cells live for def.
func Shifted(life, def time.Duration) bigtable.Timestamp {
	return bigtable.Time(time.Now().Add(life - def))
}

// Ago is the moment d before now.
func Ago(d time.Duration) bigtable.Timestamp {
	return bigtable.Time(time.Now().Add(-d))
}

// Seq is a sequence number as a timestamp.
func Seq(n int64) bigtable.Timestamp { return bigtable.Timestamp(n * 1000) }

// SeqOf is Seq's inverse.
func SeqOf(ts bigtable.Timestamp) int64 { return int64(ts) / 1000 }

// Number makes a timestamp of any integer.
func Number[N ~int | ~int32 | ~int64 | ~uint32 | ~uint64](n N) bigtable.Timestamp {
	return bigtable.Timestamp(n)
}

// FromMillis is for producers that send milliseconds since 1970.
func FromMillis(ms int64) bigtable.Timestamp { return bigtable.Timestamp(ms * 1000) }

// FromSeconds is for producers that send seconds since 1970.
func FromSeconds(s int64) bigtable.Timestamp { return bigtable.Timestamp(s * 1e6) }

// Backoff is the wait before the n-th retry.
func Backoff(n int) time.Duration {
	d := 50 * time.Millisecond << min(n, 6)
	return d + time.Duration(n%3)*7*time.Millisecond
}
