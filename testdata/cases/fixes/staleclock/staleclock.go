// Package staleclock reads the clock for each write.
package staleclock

import (
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
)

var (
	started = time.Now()
	stamp   = bigtable.Now()
	expiry  = bigtable.Time(time.Now().Add(time.Hour))
)

// The reading is taken in place of the variable.
func inPlace(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Time(started.Add(time.Hour)), nil)             // want `stale-clock: .*"token"`
	mut.Set("token", "id", stamp+bigtable.Timestamp(time.Hour.Microseconds()), nil) // want `stale-clock: .*"token"`
}

func local(mut *bigtable.Mutation) {
	ts := bigtable.Time(started.Add(time.Hour))
	mut.Set("token", "jwt", ts, nil) // want `stale-clock: .*"token"`
}

func defaultExpiration(mut *bigtable.Mutation) {
	mut.Set("event", "url", bigtable.Time(started), nil)                // want `stale-clock: .*"event"`
	mut.Set("event", "at", bigtable.Time(started.Add(-time.Hour)), nil) // want `stale-clock: .*"event"`
}

// Plus nothing: the family's usual lifetime is what it takes.
func plusNothing(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", stamp, nil) // want `stale-clock: .*"token"`
}

// The variable holds the lifetime too, which others may rely on: what is
// meant is not certain.
func whole(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", expiry, nil) // want `stale-clock: .*"token"`
}

func raw() *bigtablepb.Mutation_SetCell {
	return &bigtablepb.Mutation_SetCell{FamilyName: "token", TimestampMicros: started.Add(time.Hour).UnixMicro()} // want `stale-clock: .*"token"`
}

func put(mut *bigtable.Mutation, at time.Time) {
	mut.Set("token", "jwt", bigtable.Time(at.Add(time.Hour)), nil)
}

func puts(mut *bigtable.Mutation) {
	put(mut, started) // want `stale-clock: .*"token"`
}
