// Package app calls generic helpers of another package.
package app

import (
	"cloud.google.com/go/bigtable"

	"example.com/cases/shapes/generic/lib"
)

func use(mut *bigtable.Mutation) {
	lib.SetAll(mut, "token", bigtable.Now()) // want `write-time: .*"token"`
	lib.SetAll(mut, "profile", bigtable.Now())
	mut.Set("token", "a", lib.Pick(1, bigtable.ServerTime), nil) // want `server-timestamp: .*"token"`
	mut.Set("token", "b", lib.Now("x"), nil)                     // want `write-time: .*"token"`
	mut.Set("profile", "b", lib.Now("x"), nil)
}
