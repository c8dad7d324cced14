// Package typedispatch: a value of one type is followed into the cases of a
// type switch (or assertion) that are for other types. Wrong findings.
package typedispatch

import (
	"time"

	"cloud.google.com/go/bigtable"
)

func tsOf(v any) bigtable.Timestamp {
	switch v := v.(type) {
	case time.Time:
		return bigtable.Time(v)
	case time.Duration:
		return bigtable.Time(time.Now().Add(v))
	}
	return bigtable.ServerTime
}

func assert(v any) bigtable.Timestamp {
	if t, ok := v.(time.Time); ok {
		return bigtable.Time(t)
	}
	return bigtable.Time(time.Now().Add(v.(time.Duration)))
}

func generic[T time.Time | time.Duration](v T) bigtable.Timestamp {
	if t, ok := any(v).(time.Time); ok {
		return bigtable.Time(t)
	}
	return bigtable.Time(time.Now().Add(any(v).(time.Duration)))
}

func write(c *bigtable.Client, m *bigtable.Mutation) {
	m.Set("cap", "a", tsOf(time.Hour), nil)    // ok ttlwrite/already-expired
	m.Set("cap", "b", assert(time.Hour), nil)  // ok ttlwrite/already-expired
	m.Set("cap", "c", generic(time.Hour), nil) // ok ttlwrite/already-expired
	m.Set("cap", "d", tsOf(time.Now()), nil)   // want ttlwrite/write-time
	m.Set("cap", "e", tsOf(nil), nil)          // want ttlwrite/server-timestamp
}

var _ = write
