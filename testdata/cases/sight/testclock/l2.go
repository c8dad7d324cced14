// Package testclock tells the time by variables of another package, which
// its own tests replace.
package testclock

import (
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/testclock/clock"
)

func kick(mut *bigtable.Mutation) {
	mut.Set("token", "kicked", bigtable.Time(clock.Now().Add(-time.Minute)), nil) // want `already-expired: .*"token"`
	mut.Set("token", "later", bigtable.Time(clock.Now().Add(time.Minute)), nil)
}

// freeze says that the time is not what it seems.
func freeze(at time.Time) { clock.Today = func() time.Time { return at } }

func frozen(mut *bigtable.Mutation) {
	mut.Set("token", "kicked", bigtable.Time(clock.Today().Add(-time.Minute)), nil)
}
