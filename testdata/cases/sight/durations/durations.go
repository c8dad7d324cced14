// Package durations chooses families by lifetimes.
package durations

import (
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/durations/life"
)

func put(mut *bigtable.Mutation, d time.Duration, v []byte) {
	if d.Seconds() > 3600 {
		mut.Set("event", "v", bigtable.Now(), v)
		return
	}
	mut.Set("token", "v", bigtable.Time(time.Now().Add(d)), v)
}

func stamp(d time.Duration) bigtable.Timestamp {
	switch {
	case d.Milliseconds() == 0:
		return bigtable.Now()
	case d.Microseconds() < 0:
		return bigtable.ServerTime
	}
	return bigtable.Time(time.Now().Add(d))
}

func Write(mut *bigtable.Mutation, v []byte) {
	mut.Set(life.Family(2*time.Hour), "v", bigtable.Now(), v)
	mut.Set(life.Family(time.Hour), "v", bigtable.Now(), v)
	mut.Set(life.Family(time.Minute), "w", bigtable.Now(), v) // want `write-time: .*"token"`
	mut.Set("token", "x", stamp(time.Hour), v)
	mut.Set("token", "y", stamp(0), v)            // want `write-time: .*"token"`
	mut.Set("token", "z", stamp(-time.Minute), v) // want `server-timestamp: .*"token"`
	put(mut, time.Hour, v)
	put(mut, 3*time.Hour, v)
	family := "token"
	if !life.Short(3 * time.Hour) {
		family = "profile"
	}
	mut.Set(family, "u", bigtable.Now(), v)
	if life.Short(time.Hour) {
		family = "token"
	}
	mut.Set(family, "t", bigtable.Now(), v) // want `write-time: .*"token"`
}
