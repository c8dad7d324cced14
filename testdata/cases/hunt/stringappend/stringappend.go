// Package stringappend has variables that grow by a constant which is no
// integer, where a store to a shared variable looks like the step of a counter.
package stringappend

import (
	"cloud.google.com/go/bigtable"
)

// A string that a closure shares: its += is no counter.
func family(mut *bigtable.Mutation, long bool) func() {
	name := "tok"
	grow := func() { name += "en" }
	if long {
		grow()
	}
	return func() { mut.Set(name, "jwt", bigtable.ServerTime, nil) }
}

// A fraction that a closure shares.
func fraction(mut *bigtable.Mutation) func() {
	micros := 0.0
	tick := func() { micros += 0.5 }
	tick()
	return func() { mut.Set("entry", "item", bigtable.Timestamp(int64(micros)*1000), nil) }
}

// What else the package holds is still seen.
func write(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Now(), nil) // want `write-time: .*"token"`
}
