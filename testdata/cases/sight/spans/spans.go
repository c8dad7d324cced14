// Package spans makes timestamps of durations that a loop counts.
package spans

import (
	"time"

	"cloud.google.com/go/bigtable"
)

func forecast(mut *bigtable.Mutation, base bigtable.Timestamp, values [][]byte) {
	for i, v := range values {
		off := time.Duration(i) * 24 * time.Hour
		mut.Set("profile", "a", base+bigtable.Timestamp(off), v) // want `wrong-unit: .*Duration`
	}
}

func counted(base bigtable.Timestamp) (out []bigtable.Timestamp) {
	for i := 1; i < 4; i++ {
		out = append(out, base-bigtable.Timestamp(time.Duration(i)*time.Minute)) // want `wrong-unit: .*Duration`
	}
	return out
}

func okMicros(mut *bigtable.Mutation, base bigtable.Timestamp, values [][]byte) {
	for i, v := range values {
		off := time.Duration(i) * 24 * time.Hour
		mut.Set("profile", "a", base+bigtable.Timestamp(off.Microseconds()), v)
		mut.Set("profile", "b", base+bigtable.Timestamp(off/time.Microsecond), v)
		micros := off / 1000
		mut.Set("profile", "c", base+bigtable.Timestamp(micros), v)
	}
}

// A number in a Duration's clothes.
func okNumber(mut *bigtable.Mutation, values [][]byte) {
	for i, v := range values {
		mut.Set("entry", "a", bigtable.Timestamp(time.Duration(i)*time.Microsecond), v)
	}
}
