// Package stale writes cells whose lifetime varies from call to call.
package stale

import (
	"time"

	"cloud.google.com/go/bigtable"
)

func varying(mut *bigtable.Mutation, ttl time.Duration) {
	mut.Set("token", "jwt", bigtable.Time(time.Now().Add(ttl)), nil) // want `stale-survivor: .*"token"`
}

func deadline(mut *bigtable.Mutation, expires time.Time) {
	mut.Set("token", "jwt", bigtable.Time(expires), nil) // want `stale-survivor: .*"token"`
}

func okDeletedFirst(mut *bigtable.Mutation, ttl time.Duration) {
	mut.DeleteCellsInColumn("token", "jwt")
	mut.Set("token", "jwt", bigtable.Time(time.Now().Add(ttl)), nil)
}

func okDeletedFamily(mut *bigtable.Mutation, ttl time.Duration) {
	mut.DeleteCellsInFamily("token")
	mut.Set("token", "jwt", bigtable.Time(time.Now().Add(ttl)), nil)
}

func otherColumnDeleted(mut *bigtable.Mutation, ttl time.Duration) {
	mut.DeleteCellsInColumn("token", "csrf")
	mut.Set("token", "jwt", bigtable.Time(time.Now().Add(ttl)), nil) // want `stale-survivor: .*"token"`
}

func okConstantLifetime(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Time(time.Now().Add(time.Hour)), nil)
}

func okOrdinary(mut *bigtable.Mutation, at time.Time) {
	mut.Set("profile", "name", bigtable.Time(at), nil)
}
