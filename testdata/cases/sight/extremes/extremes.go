// Package extremes has times that min and max choose.
package extremes

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/extremes/newest"
)

// Ages of the newest, or the oldest, of several cells.

func latest() bigtable.ReadOption {
	return bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("seq"), bigtable.LatestNFilter(1)))
}

func lag(ctx context.Context, c *bigtable.Client) (time.Duration, error) {
	row, err := c.Open("mixed").ReadRow(ctx, "k", latest())
	var newest bigtable.Timestamp
	for _, it := range row["seq"] {
		newest = max(newest, it.Timestamp)
	}
	return time.Now().Sub(newest.Time()), err // want `not-write-time: .*"seq"`
}

func oldest(ctx context.Context, c *bigtable.Client) (time.Duration, error) {
	row, err := c.Open("mixed").ReadRow(ctx, "k", latest())
	first := bigtable.Now()
	for _, it := range row["seq"] {
		first = min(first, it.Timestamp)
	}
	return time.Since(first.Time()), err // want `not-write-time: .*"seq"`
}

func several(ctx context.Context, c *bigtable.Client) (time.Duration, error) {
	row, err := c.Open("mixed").ReadRow(ctx, "k", latest())
	a, b := row["seq"][0], row["seq"][1]
	return time.Since(max(0, a.Timestamp, b.Timestamp).Time()), err // want `not-write-time: .*"seq"`
}

func elsewhere(ctx context.Context, c *bigtable.Client) (time.Duration, error) {
	row, err := c.Open("mixed").ReadRow(ctx, "k", latest())
	return time.Since(newest.Of(row["seq"]).Time()), err // want `not-write-time: .*"seq"`
}

func okOrdinary(ctx context.Context, c *bigtable.Client) (time.Duration, error) {
	row, err := c.Open("metrics").ReadRow(ctx, "k")
	var newest bigtable.Timestamp
	for _, it := range row["sample"] {
		newest = max(newest, it.Timestamp)
	}
	return time.Since(newest.Time()), err
}

// Checks by hand, of what is chosen.

func okChecked(ctx context.Context, c *bigtable.Client) ([]byte, error) {
	row, err := c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter("token")))
	var end bigtable.Timestamp
	var value []byte
	for _, it := range row["token"] {
		end, value = max(end, it.Timestamp), it.Value
	}
	if end < bigtable.Now() {
		return nil, err
	}
	return value, err
}

func okClamped(ctx context.Context, c *bigtable.Client) ([]byte, error) {
	row, err := c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter("token")))
	now := bigtable.Now()
	for _, it := range row["token"] {
		if min(it.Timestamp, now) == now {
			return it.Value, err
		}
	}
	return nil, err
}

func unchecked(ctx context.Context, c *bigtable.Client) (end bigtable.Timestamp, value []byte) {
	row, _ := c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter("token"))) // want `missing-filter: .*"token"`
	for _, it := range row["token"] {
		end, value = max(end, it.Timestamp), it.Value
	}
	return end, value
}

// Writes with the time that is chosen of several that are known.

func floor(mut *bigtable.Mutation) {
	mut.Set("token", "c", max(bigtable.Now(), 0), nil) // want `write-time: .*"token"`
}

func sooner(mut *bigtable.Mutation) {
	end := bigtable.Time(time.Now().Add(time.Hour))
	mut.Set("token", "c", min(end, bigtable.Now()), nil) // want `write-time: .*"token"`
}

func past(mut *bigtable.Mutation) {
	mut.Set("token", "c", max(1000, 2000), nil) // want `already-expired: .*"token"`
}

func passed(mut *bigtable.Mutation) {
	write(mut, bigtable.Now()) // want `write-time: .*"token"`
	write(mut, bigtable.Time(time.Now().Add(30*time.Minute)))
}

func write(mut *bigtable.Mutation, ts bigtable.Timestamp) {
	mut.Set("token", "c", max(ts, 1000), nil)
}

func lifetime(mut *bigtable.Mutation) {
	mut.Set("token", "c", bigtable.Time(time.Now().Add(-max(time.Minute, time.Hour))), nil) // want `already-expired: .*"token"`
}

func bound(ctx context.Context, c *bigtable.Client) error {
	from := max(0, bigtable.Now()-bigtable.Timestamp((24*time.Hour).Microseconds()))
	return c.Open("clicks").ReadRows(ctx, bigtable.PrefixRange(""), func(row bigtable.Row) bool {
		return len(row["event"]) > 0
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("event"), bigtable.TimestampRangeFilterMicros(from, 0)))) // want `wrong-bound: .*"event"`
}

func okLater(mut *bigtable.Mutation) {
	end := bigtable.Time(time.Now().Add(30 * time.Minute))
	mut.Set("token", "c", max(end, bigtable.Now()), nil)
}

func okCapped(mut *bigtable.Mutation) {
	end := bigtable.Time(time.Now().Add(30 * time.Minute))
	mut.Set("token", "c", min(end, bigtable.Time(time.Date(2250, 1, 1, 0, 0, 0, 0, time.UTC))), nil)
}

// okGiven is not before now: what it is, is not known.
func okGiven(mut *bigtable.Mutation, end bigtable.Timestamp) {
	mut.Set("token", "c", max(end, bigtable.Now()), nil)
}

// next is no number, whatever the last one is: what callers give is innocent.
func next(mut *bigtable.Mutation, last bigtable.Timestamp) {
	mut.Set("seq", "c", max(last+1000, bigtable.Now()), nil) // want `clock-in-sequence: .*"seq"`
}

func callsNext(mut *bigtable.Mutation) { next(mut, 7000) }

func nextInZero(mut *bigtable.Mutation, last bigtable.Timestamp) {
	mut.Set("latest", "c", max(last+1000, bigtable.Now()), nil) // want `clock-in-zero: .*"latest"`
}

// okNumber is a number, unless one is too large.
func okNumber(mut *bigtable.Mutation, last bigtable.Timestamp) {
	mut.Set("seq", "c", min(last+1000, bigtable.Now()), nil)
	mut.Set("latest", "c", min(last, bigtable.Now()), nil)
	mut.Set("seq", "d", max(last+1000, 1000), nil)
}

func okBound(ctx context.Context, c *bigtable.Client) error {
	from := max(0, bigtable.Now()-bigtable.Timestamp((720*time.Hour).Microseconds()))
	return c.Open("clicks").ReadRows(ctx, bigtable.PrefixRange(""), func(row bigtable.Row) bool {
		return len(row["event"]) > 0
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("event"), bigtable.TimestampRangeFilterMicros(from, 0))))
}
