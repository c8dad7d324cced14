// Package loopclock derives timestamps from the clock and something that is
// not known: clock readings all the same.
package loopclock

import (
	"time"

	"cloud.google.com/go/bigtable"
)

func sequence(n int) (muts []*bigtable.Mutation) {
	for i := 0; i < n; i++ {
		mut := bigtable.NewMutation()
		mut.Set("entry", "item", bigtable.Time(time.Now().Add(-time.Duration(i)*time.Minute)), nil) // want `clock-in-sequence: .*"entry"`
		muts = append(muts, mut)
	}
	return muts
}

func zero(mut *bigtable.Mutation, delay time.Duration) {
	mut.Set("latest", "v", bigtable.Time(time.Now().Add(delay)), nil) // want `clock-in-zero: .*"latest"`
}
