// Package zero writes zero where the family demands it.
package zero

import "cloud.google.com/go/bigtable"

func now(mut *bigtable.Mutation) {
	mut.Set("latest", "price", bigtable.Now(), nil) // want `clock-in-zero: .*"latest"`
}

func serverTime(mut *bigtable.Mutation) {
	mut.Set("latest", "price", bigtable.ServerTime, nil) // want `clock-in-zero: .*"latest"`
}

func constant(mut *bigtable.Mutation) {
	mut.Set("latest", "price", 1000, nil) // want `clock-in-zero: .*"latest"`
}

func shared(mut *bigtable.Mutation) {
	ts := bigtable.Now()
	mut.Set("profile", "name", ts, nil)
	mut.Set("latest", "price", ts, nil) // want `clock-in-zero: .*"latest"`
}
