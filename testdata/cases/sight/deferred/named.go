package deferred

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// Functions that are given the address of a result set it anew.

func orNow(ts *bigtable.Timestamp) {
	if *ts == 0 {
		*ts = bigtable.Now()
	}
}

func orIn(ts *bigtable.Timestamp, d time.Duration) {
	if *ts == 0 {
		*ts = bigtable.Time(time.Now().Add(d))
	}
}

func stamp(at time.Time) (ts bigtable.Timestamp) {
	defer orNow(&ts)
	if !at.IsZero() {
		ts = bigtable.Time(at)
	}
	return ts
}

func stampIn(at time.Time, d time.Duration) (ts bigtable.Timestamp) {
	defer orIn(&ts, d)
	if !at.IsZero() {
		ts = bigtable.Time(at)
	}
	return ts
}

// The one that is deferred last runs first.
func both(at time.Time) (ts bigtable.Timestamp) {
	defer orNow(&ts)
	defer orIn(&ts, time.Hour)
	if !at.IsZero() {
		ts = bigtable.Time(at)
	}
	return ts
}

// What others do with the address is not followed.
func through(ts *bigtable.Timestamp) { orIn(ts, time.Hour) }

func okThrough() (ts bigtable.Timestamp) {
	defer through(&ts)
	return ts
}

func named(ctx context.Context, c *bigtable.Client) error {
	m := bigtable.NewMutation()
	m.Set("token", "a", stamp(time.Time{}), nil) // want `write-time: .*"token"`
	m.Set("token", "b", stamp(time.Now().Add(time.Hour)), nil)
	m.Set("token", "c", stampIn(time.Time{}, 0), nil) // want `write-time: .*"token"`
	m.Set("token", "d", stampIn(time.Time{}, time.Hour), nil)
	m.Set("token", "e", both(time.Time{}), nil)
	m.Set("token", "f", okThrough(), nil)
	return c.Open("sessions").Apply(ctx, "k", m)
}
