package ttl

import (
	"fmt"
	"math"
	"time"

	"cloud.google.com/go/bigtable"
)

// microsPerNumber is the step between the timestamps of two sequence numbers:
// the service keeps milliseconds, so smaller steps would fall together.
const microsPerNumber = 1000

// rejected is a timestamp that the service refuses with InvalidArgument. It is
// not -1, which means server time, nor between -999 and 0, which is cut to 0,
// and it stays refused when somebody adds or subtracts a duration.
const rejected bigtable.Timestamp = math.MinInt64 / 2

// ExpiresIn returns the timestamp, in microseconds, of a cell that expires
// after d in a one-second-expiration family, for code that calls
// [bigtable.Mutation.Set] itself. It is the current time of the client plus d,
// cut to milliseconds.
//
// For a d below one millisecond, which is no lifetime, or beyond the year 2262
// it returns a timestamp that the service rejects with InvalidArgument, so that
// nothing is written. [OneSecondFamily.SetFor] returns an error instead.
//
// https://cloud.google.com/bigtable/docs/gc-cell-level
func ExpiresIn(d time.Duration) bigtable.Timestamp {
	ts, err := expiryIn(time.Now(), d, 0)
	if err != nil {
		return rejected
	}
	return ts
}

// ExpiresAt returns the timestamp, in microseconds, of a cell that expires at t
// in a one-second-expiration family, for code that calls
// [bigtable.Mutation.Set] itself. It is t cut to milliseconds.
//
// For a t before 1970, as the zero time is, or beyond the year 2262 it returns
// a timestamp that the service rejects with InvalidArgument, so that nothing is
// written. A time since 1970 that has passed is a legal timestamp and is
// returned: the cell is dead on arrival. [OneSecondFamily.SetUntil] returns an
// error in both cases.
//
// https://cloud.google.com/bigtable/docs/gc-cell-level
func ExpiresAt(t time.Time) bigtable.Timestamp {
	ts, err := timestamp(t)
	if err != nil {
		return rejected
	}
	return ts
}

// SequenceNumber returns the timestamp, in microseconds, of the cell with
// number n in a family of sequential numbers, for code that calls
// [bigtable.Mutation.Set] itself: n × 1000, because timestamps are cut to
// milliseconds and numbers without a factor would become one timestamp.
//
// For an n below 0 or above 9223372036854775 it returns a timestamp that the
// service rejects with InvalidArgument, so that nothing is written.
// [SequenceFamily.Set] returns an error instead.
//
// https://cloud.google.com/bigtable/docs/gc-sequence-numbers
func SequenceNumber(n int64) bigtable.Timestamp {
	ts, err := sequence(n)
	if err != nil {
		return rejected
	}
	return ts
}

// timestamp converts a time, cut to milliseconds. It does not use
// [bigtable.Time], which overflows without notice.
func timestamp(t time.Time) (bigtable.Timestamp, error) {
	if t.IsZero() {
		return 0, fmt.Errorf("the zero time is %w", ErrOutOfRange)
	}
	if t.Before(time.Unix(0, 0)) || t.After(time.Unix(0, math.MaxInt64)) {
		return 0, fmt.Errorf("%s is %w", t.Format(time.RFC3339Nano), ErrOutOfRange)
	}
	return bigtable.Timestamp(t.UnixMilli() * 1000), nil
}

// expiryIn returns the timestamp of a cell that expires after the lifetime in a
// family that collects cells of the age, which is 0 for one-second expiration
// and less by the skew that the family allows for.
func expiryIn(now time.Time, lifetime, age time.Duration) (bigtable.Timestamp, error) {
	if lifetime < time.Millisecond {
		return 0, fmt.Errorf("%w: %v", ErrLifetime, lifetime)
	}
	return expiryAt(now, now.Add(lifetime), age)
}

// expiryAt is expiryIn for a deadline.
func expiryAt(now, deadline time.Time, age time.Duration) (bigtable.Timestamp, error) {
	end, err := timestamp(deadline)
	if err != nil {
		return 0, err
	}
	// Compared as the service keeps it: within the current millisecond, the
	// timestamp would be that of the write.
	if int64(end) <= now.UnixMilli()*1000 {
		return 0, fmt.Errorf("%w: %s", ErrPast, deadline.Format(time.RFC3339Nano))
	}
	ts, err := timestamp(deadline.Add(-age))
	if err != nil {
		return 0, fmt.Errorf("deadline %s moved by %v, for default lifetime and skew: %w", deadline.Format(time.RFC3339Nano), -age, err)
	}
	return ts, nil
}

func sequence(n int64) (bigtable.Timestamp, error) {
	if n < 0 || n > math.MaxInt64/microsPerNumber {
		return 0, fmt.Errorf("sequence number %d is %w", n, ErrOutOfRange)
	}
	return bigtable.Timestamp(n * microsPerNumber), nil
}
