// Package units makes timestamps of numbers in the wrong unit, and of times
// that no timestamp can hold. The families are not registered.
package units

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// Seconds, milliseconds, nanoseconds.

func seconds(mut *bigtable.Mutation, t time.Time) {
	mut.Set("data", "a", bigtable.Timestamp(t.Unix()), nil) // want `wrong-unit: `
}

func millis(mut *bigtable.Mutation, t time.Time) {
	mut.Set("data", "a", bigtable.Timestamp(t.UnixMilli()), nil) // want `wrong-unit: `
}

func nanos(mut *bigtable.Mutation, t time.Time) {
	mut.Set("data", "a", bigtable.Timestamp(t.UnixNano()), nil) // want `wrong-unit: `
}

func nowSeconds(mut *bigtable.Mutation) {
	mut.Set("data", "a", bigtable.Timestamp(time.Now().Unix()), nil) // want `wrong-unit: `
}

func returned(t time.Time) bigtable.Timestamp {
	return bigtable.Timestamp(t.Unix()) // want `wrong-unit: `
}

func field(t time.Time) bigtable.ReadItem {
	return bigtable.ReadItem{Row: "r", Timestamp: bigtable.Timestamp(t.UnixMilli())} // want `wrong-unit: `
}

func okMicros(mut *bigtable.Mutation, t time.Time) {
	mut.Set("data", "a", bigtable.Timestamp(t.UnixMicro()), nil)
}

func okNanosDivided(mut *bigtable.Mutation, t time.Time) {
	mut.Set("data", "a", bigtable.Timestamp(t.UnixNano()/1000), nil)
}

func okNanosDividedByMicrosecond(mut *bigtable.Mutation, t time.Time) {
	mut.Set("data", "a", bigtable.Timestamp(t.UnixNano()/int64(time.Microsecond)), nil)
}

func okMillisScaled(mut *bigtable.Mutation, t time.Time) {
	mut.Set("data", "a", bigtable.Timestamp(t.UnixMilli()*1000), nil)
}

func okMillisScaledAfter(mut *bigtable.Mutation, t time.Time) {
	mut.Set("data", "a", bigtable.Timestamp(t.UnixMilli())*1000, nil)
}

func okSecondsScaled(mut *bigtable.Mutation, t time.Time) {
	mut.Set("data", "a", bigtable.Timestamp(t.Unix()*1e6), nil)
}

func okSecondsScaledAfter(mut *bigtable.Mutation, t time.Time) {
	mut.Set("data", "a", bigtable.Timestamp(t.Unix())*1_000_000, nil)
}

func okTime(mut *bigtable.Mutation, t time.Time) {
	mut.Set("data", "a", bigtable.Time(t), nil)
}

func okNumber(mut *bigtable.Mutation, n int64) {
	mut.Set("data", "a", bigtable.Timestamp(n), nil)
}

func okReversed(mut *bigtable.Mutation, t time.Time) {
	mut.Set("data", "a", bigtable.Timestamp(1<<52-t.UnixMicro()), nil)
}

// Seconds that are not made into a timestamp.
func okOtherUse(t time.Time) int64 { return t.Unix() }

// Durations.

func duration(mut *bigtable.Mutation, d time.Duration) {
	mut.Set("data", "a", bigtable.Timestamp(d), nil) // want `wrong-unit: `
}

func addedDuration(mut *bigtable.Mutation, d time.Duration) {
	mut.Set("data", "a", bigtable.Now()+bigtable.Timestamp(d), nil) // want `wrong-unit: `
}

func addedConstant(mut *bigtable.Mutation) {
	mut.Set("data", "a", bigtable.Now()+bigtable.Timestamp(time.Hour), nil) // want `wrong-unit: `
}

func addedToTime(mut *bigtable.Mutation, t time.Time) {
	mut.Set("data", "a", bigtable.Time(t)+bigtable.Timestamp(24*time.Hour), nil) // want `wrong-unit: `
}

func subtracted(mut *bigtable.Mutation, t time.Time) {
	mut.Set("data", "a", bigtable.Time(t)-bigtable.Timestamp(time.Minute), nil) // want `wrong-unit: `
}

func okAddedMicroseconds(mut *bigtable.Mutation, d time.Duration) {
	mut.Set("data", "a", bigtable.Now()+bigtable.Timestamp(d.Microseconds()), nil)
}

func okAddedDivided(mut *bigtable.Mutation, d time.Duration) {
	mut.Set("data", "a", bigtable.Now()+bigtable.Timestamp(d/time.Microsecond), nil)
}

func okAddedScaledMilliseconds(mut *bigtable.Mutation, d time.Duration) {
	mut.Set("data", "a", bigtable.Now()+bigtable.Timestamp(d.Milliseconds()*1000), nil)
}

func okAddedBefore(mut *bigtable.Mutation, t time.Time, d time.Duration) {
	mut.Set("data", "a", bigtable.Time(t.Add(d)), nil)
}

// Out of range.

func zeroTime(mut *bigtable.Mutation) {
	mut.Set("data", "a", bigtable.Time(time.Time{}), nil) // want `out-of-range: `
}

func never(mut *bigtable.Mutation) {
	mut.Set("data", "a", bigtable.Time(time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)), nil) // want `out-of-range: .*; use an earlier one`
}

func longAgo(mut *bigtable.Mutation) {
	mut.Set("data", "a", bigtable.Time(time.Date(1, 1, 2, 0, 0, 0, 0, time.UTC)), nil) // want `out-of-range: .*; use a time since 1970`
}

func negative(mut *bigtable.Mutation) {
	mut.Set("data", "a", -1000, nil) // want `out-of-range: `
}

func negativeTwo(mut *bigtable.Mutation) {
	mut.Set("data", "a", bigtable.Timestamp(-2), nil) // want `out-of-range: `
}

func okServerTime(mut *bigtable.Mutation) {
	mut.Set("data", "a", bigtable.ServerTime, nil)
}

func okMinusOne(mut *bigtable.Mutation) {
	mut.Set("data", "a", -1, nil)
}

func okEpoch(mut *bigtable.Mutation) {
	mut.Set("data", "a", bigtable.Time(time.Unix(0, 0)), nil)
}

func okLate(mut *bigtable.Mutation) {
	mut.Set("data", "a", bigtable.Time(time.Date(2261, 1, 1, 0, 0, 0, 0, time.UTC)), nil)
}

func okMaybeZero(mut *bigtable.Mutation, t time.Time) {
	mut.Set("data", "a", bigtable.Time(t), nil)
}

// Below a millisecond.

func cut(mut *bigtable.Mutation) {
	mut.Set("data", "a", 1500, nil) // want `sub-millisecond: `
}

func cutToZero(mut *bigtable.Mutation) {
	mut.Set("data", "a", bigtable.Timestamp(7), nil) // want `sub-millisecond: `
}

func okWhole(mut *bigtable.Mutation) {
	mut.Set("data", "a", 2000, nil)
}

func okZero(mut *bigtable.Mutation) {
	mut.Set("data", "a", 0, nil)
}

func okNowIsCut(mut *bigtable.Mutation) {
	mut.Set("data", "a", bigtable.Now(), nil)
}
