// Package stamp makes and reads cell timestamps, and the filters that go with
// them.
package stamp

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type clockKey struct{}

// WithNow freezes the clock for one request, so that everything a request
// writes agrees.
func WithNow(ctx context.Context, t time.Time) context.Context {
	return context.WithValue(ctx, clockKey{}, t)
}

// NowIn is the request's clock.
func NowIn(ctx context.Context) time.Time {
	if t, ok := ctx.Value(clockKey{}).(time.Time); ok {
		return t
	}
	return time.Now()
}

// Now is the wall clock as a cell timestamp.
func Now() bigtable.Timestamp { return bigtable.Now() }

// In is the moment d from now.
func In(d time.Duration) bigtable.Timestamp { return bigtable.Time(time.Now().Add(d)) }

// Until is the moment t.
func Until(t time.Time) bigtable.Timestamp { return bigtable.Time(t) }

// Seq is the sequence number n.
func Seq(n int64) bigtable.Timestamp { return bigtable.Timestamp(n * 1000) } // ok ttlwrite/unscaled-sequence

// Raw is n as it stands.
func Raw(n int64) bigtable.Timestamp { return bigtable.Timestamp(n) }

// Shifted is the timestamp of a cell that shall live for d in a family whose
// default is def.
func Shifted(d, def time.Duration) bigtable.Timestamp {
	return bigtable.Time(time.Now().Add(d - def)) // ok ttlwrite/wrong-base
}

// Number is the sequence number of a cell.
func Number(it bigtable.ReadItem) int64 { return int64(it.Timestamp) / 1000 } // ok ttlage/not-write-time

// Age is how long ago a cell was stamped.
func Age(it bigtable.ReadItem) time.Duration { return time.Since(it.Timestamp.Time()) } // want ttlage/not-write-time[agebeat] ttlage/not-write-time[agescore]

// Left is how long a cell has to live.
func Left(it bigtable.ReadItem) time.Duration { return time.Until(it.Timestamp.Time()) } // ok ttlage/not-write-time

// Live lets only cells pass that have not expired.
func Live() bigtable.Filter { return bigtable.TimestampRangeFilter(time.Now(), time.Time{}) }

// LiveAt is Live at another moment.
func LiveAt(t time.Time) bigtable.Filter { return bigtable.TimestampRangeFilter(t, time.Time{}) }

// Within lets cells pass that are stamped less than d ago.
func Within(d time.Duration) bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Now().Add(-d), time.Time{})
}

// Family restricts f to one family.
func Family(family string, f bigtable.Filter) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(family), f) // ok ttlunit/invalid-filter
}

// Newest is the option for the newest n cells of a family.
func Newest(family string, n int) bigtable.ReadOption {
	return bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(family), bigtable.LatestNFilter(n)))
}

// Micros turns a moment that came over the wire in milliseconds into a
// timestamp.
func Micros(ms int64) bigtable.Timestamp { return bigtable.Time(time.UnixMilli(ms)) } // ok ttlunit/wrong-unit

// Seconds is t, in the resolution of the billing system.
func Seconds(t time.Time) bigtable.Timestamp { return bigtable.Timestamp(t.Unix()) } // want ttlunit/wrong-unit

// SecondsMicros is Seconds with the right scale.
func SecondsMicros(t time.Time) bigtable.Timestamp { return bigtable.Timestamp(t.Unix() * 1e6) } // ok ttlunit/wrong-unit
