// Package expiry gives writes the moment at which the cell expires, by the
// ttl of the registry.
package expiry

import (
	"time"

	"cloud.google.com/go/bigtable"
)

func serverTime(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.ServerTime, nil) // want `server-timestamp: .*"token"`
}

func writeTime(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Now(), nil) // want `write-time: .*"token"`
}

func timeNow(mut *bigtable.Mutation) {
	mut.Set("ticket", "seat", bigtable.Time(time.Now()), nil) // want `write-time: .*"ticket"`
}

func inClosure() func(*bigtable.Mutation) {
	return func(mut *bigtable.Mutation) {
		mut.Set("ticket", "seat", bigtable.ServerTime, nil) // want `server-timestamp: .*"ticket"`
	}
}

// The registry has no ttl for this family: no fix is certain.
func noTTL(mut *bigtable.Mutation) {
	mut.Set("code", "otp", bigtable.ServerTime, nil) // want `server-timestamp: .*"code"`
}

// A local serves other families too: only the argument is replaced.
func shared(mut *bigtable.Mutation) {
	ts := bigtable.Now()
	mut.Set("profile", "name", ts, nil)
	mut.Set("token", "jwt", ts, nil) // want `write-time: .*"token"`
}
