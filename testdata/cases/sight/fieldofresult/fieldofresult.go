// Package fieldofresult asks another package for what is behind the results of its calls.
package fieldofresult

import (
	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/fieldofresult/lib"
)

func put(mut *bigtable.Mutation) {
	d := lib.New()
	mut.Set(d.Family(), "a", bigtable.Now(), nil) // want `write-time: .*"token"`
	mut.Set(d.First(), "b", bigtable.Now(), nil)  // want `write-time: .*"token"`
}
