package dal

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// Stamp makes the timestamp of a cell.
type Stamp func() bigtable.Timestamp

// NowTS is the time of the write.
func NowTS(c Clock) bigtable.Timestamp { return bigtable.Time(c.Now()) }

// ExpiresIn is for the families whose cells carry the moment they expire.
func ExpiresIn(c Clock, d time.Duration) bigtable.Timestamp {
	return bigtable.Time(c.Now().Add(d))
}

// ExpiresAt is ExpiresIn for a deadline that the caller has.
func ExpiresAt(t time.Time) bigtable.Timestamp { return bigtable.Time(t) }

// Shifted moves the timestamp so that a cell of a family with the default
// lifetime def lives for life.
func Shifted(c Clock, life, def time.Duration) bigtable.Timestamp {
	return bigtable.Time(c.Now().Add(life - def))
}

// Seq turns a sequence number into a timestamp.
func Seq(n int64) bigtable.Timestamp { return bigtable.Timestamp(n * 1000) }

// SeqOf is the inverse of Seq.
func SeqOf(ts bigtable.Timestamp) int64 { return int64(ts) / 1000 }

// Unversioned is the timestamp of values that replace each other.
func Unversioned() bigtable.Timestamp { return 0 }

// ServerStamp leaves the choice to the server.
func ServerStamp() bigtable.Timestamp { return bigtable.ServerTime }

// StampIn returns a Stamp of cells that live for d.
func StampIn(c Clock, d time.Duration) Stamp {
	return func() bigtable.Timestamp { return ExpiresIn(c, d) }
}

// StampNow returns a Stamp of ordinary cells.
func StampNow(c Clock) Stamp {
	return func() bigtable.Timestamp { return NowTS(c) }
}

// EpochMillis is what the old gateway sends.
func EpochMillis(ms int64) bigtable.Timestamp {
	return bigtable.Timestamp(ms * 1000) // ok ttlunit/wrong-unit
}

// FromUnix converts the seconds in the vehicles' telegrams.
func FromUnix(sec int64) bigtable.Timestamp {
	return bigtable.Time(time.Unix(sec, 0)) // ok ttlunit/wrong-unit
}

// Midnight is the timestamp of the start of the day of t.
func Midnight(t time.Time) bigtable.Timestamp {
	y, m, d := t.Date()
	return bigtable.Timestamp(time.Date(y, m, d, 0, 0, 0, 0, t.Location()).UnixMicro()) // ok ttlunit/wrong-unit
}

// RoundedTo cuts a time to a grid, so that repeated writes of a telegram
// replace each other.
func RoundedTo(t time.Time, grid time.Duration) bigtable.Timestamp {
	return bigtable.Timestamp(t.Truncate(grid).UnixMilli()) // want ttlunit/wrong-unit
}

// Later moves a timestamp by a duration.
func Later(ts bigtable.Timestamp, d time.Duration) bigtable.Timestamp {
	return ts + bigtable.Timestamp(d) // want ttlunit/wrong-unit
}

// Earlier moves it the other way.
func Earlier(ts bigtable.Timestamp, d time.Duration) bigtable.Timestamp {
	return ts - bigtable.Timestamp(d.Microseconds()) // ok ttlunit/wrong-unit
}
