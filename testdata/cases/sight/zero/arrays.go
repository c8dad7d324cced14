package zero

import (
	"time"

	"cloud.google.com/go/bigtable"
)

type counts struct{ n [16]int64 }

// An array that nobody sets is full of zeros, and not nil.
func unsetArray(mut *bigtable.Mutation) {
	var c counts
	ts := bigtable.Time(time.Now().Add(time.Hour))
	if any(c.n) != nil {
		ts = bigtable.Now()
	}
	mut.Set("token", "a", ts, nil) // want `write-time: .*"token"`
}

func okUnsetPointer(mut *bigtable.Mutation) {
	var c struct{ n *[16]int64 }
	ts := bigtable.Time(time.Now().Add(time.Hour))
	if c.n != nil {
		ts = bigtable.Now()
	}
	mut.Set("token", "a", ts, nil)
}
