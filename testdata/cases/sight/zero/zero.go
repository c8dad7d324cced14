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
