// Package zero hands the zero time through methods that keep it.
package zero

import (
	"time"

	"cloud.google.com/go/bigtable"
)

func expires(t time.Time) bigtable.Timestamp {
	return bigtable.Time(t.UTC().Truncate(time.Millisecond))
}

func zero(mut *bigtable.Mutation) {
	mut.Set("token", "a", bigtable.Time(time.Time{}.UTC()), nil)                           // want `already-expired`
	mut.Set("token", "b", bigtable.Time(time.Time{}.In(time.Local).Round(time.Hour)), nil) // want `already-expired`
	mut.Set("token", "c", expires(time.Time{}), nil)                                       // want `already-expired`
}

func okLater(mut *bigtable.Mutation) {
	mut.Set("token", "a", expires(time.Now().Add(time.Hour)), nil)
}

// What the service rejects in a family of a default lifetime is said once, where the
// time is made a timestamp or supplied.
func unset(mut *bigtable.Mutation) {
	mut.Set("event", "a", bigtable.Time(time.Time{}), nil) // want `^out-of-range: .*rejects`
	var at time.Time
	mut.Set("event", "b", bigtable.Time(at), nil) // want `^out-of-range: .*rejects`
	Put(mut, time.Time{})                         // want `^out-of-range: .*rejects`
	Put(mut, time.Now())
}

// Put writes an event that lives on from a moment.
func Put(mut *bigtable.Mutation, at time.Time) {
	mut.Set("event", "c", bigtable.Time(at), nil)
}

func okSet(mut *bigtable.Mutation, at time.Time) {
	if !at.IsZero() {
		mut.Set("event", "a", bigtable.Time(at), nil)
	}
}
