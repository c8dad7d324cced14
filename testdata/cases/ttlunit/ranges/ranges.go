// Package ranges has time ranges that are cut or hold nothing.
package ranges

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// Cut bounds.

func endBecomesUnbounded() bigtable.Filter {
	return bigtable.TimestampRangeFilterMicros(0, 999) // want `sub-millisecond: `
}

func endBecomesUnboundedByTime() bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Time{}, time.UnixMicro(999)) // want `sub-millisecond: `
}

func endIsCut() bigtable.Filter {
	return bigtable.TimestampRangeFilterMicros(1000, 5500) // want `sub-millisecond: `
}

func startIsCut() bigtable.Filter {
	return bigtable.TimestampRangeFilterMicros(1500, 0) // want `sub-millisecond: `
}

func deletesEverything(mut *bigtable.Mutation) {
	mut.DeleteTimestampRange("data", "a", 0, 999) // want `sub-millisecond: `
}

func okMillis() bigtable.Filter {
	return bigtable.TimestampRangeFilterMicros(1000, 5000)
}

func okOpen() bigtable.Filter {
	return bigtable.TimestampRangeFilterMicros(0, 0)
}

func okZeroTimes() bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Time{}, time.Time{})
}

func okNow() bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Now(), time.Time{})
}

func okDelete(mut *bigtable.Mutation) {
	mut.DeleteTimestampRange("data", "a", 0, 5000)
}

func okDeleteUnknown(mut *bigtable.Mutation, end bigtable.Timestamp) {
	mut.DeleteTimestampRange("data", "a", 0, end)
}

// Empty ranges.

func inverted() bigtable.Filter {
	return bigtable.TimestampRangeFilterMicros(5000, 2000) // want `empty-range: `
}

func equal() bigtable.Filter {
	return bigtable.TimestampRangeFilterMicros(5000, 5000) // want `empty-range: `
}

func invertedTimes() bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Unix(200, 0), time.Unix(100, 0)) // want `empty-range: `
}

func invertedDates() bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Date(2024, 2, 1, 0, 0, 0, 0, time.UTC), time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)) // want `empty-range: `
}

func invertedConstants() bigtable.Filter {
	const from, to = 9000, 3000
	return bigtable.TimestampRangeFilterMicros(from, to) // want `empty-range: `
}

func invertedClock() bigtable.Filter {
	now := time.Now()
	return bigtable.TimestampRangeFilter(now.Add(time.Hour), now) // want `empty-range: `
}

func invertedReadings() bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Now(), time.Now().AddDate(0, 0, -7)) // want `empty-range: `
}

func okClock() bigtable.Filter {
	now := time.Now()
	return bigtable.TimestampRangeFilter(now.Add(-time.Hour), now)
}

func okClockAndUnknown(d time.Duration) bigtable.Filter {
	now := time.Now()
	return bigtable.TimestampRangeFilter(now.Add(time.Hour), now.Add(d))
}

func okOrdered() bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Unix(100, 0), time.Unix(200, 0))
}

func okOpenEnd() bigtable.Filter {
	return bigtable.TimestampRangeFilterMicros(5000, 0)
}

func okUnknown(from, to time.Time) bigtable.Filter {
	return bigtable.TimestampRangeFilter(from, to)
}

func okDates() bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2024, 2, 1, 0, 0, 0, 0, time.UTC))
}
