// Package expired writes cells that have expired before.
package expired

import (
	"time"

	"cloud.google.com/go/bigtable"
)

func zero(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", 0, nil) // want `already-expired: .*"token"`
}

func local(mut *bigtable.Mutation) {
	ts := bigtable.Time(time.Now().Add(-time.Hour)) // the only use is below
	mut.Set("ticket", "seat", ts, nil)              // want `already-expired: .*"ticket"`
}

func defaultZero(mut *bigtable.Mutation) {
	mut.Set("event", "url", bigtable.Timestamp(0), nil) // want `already-expired: .*"event"`
}
