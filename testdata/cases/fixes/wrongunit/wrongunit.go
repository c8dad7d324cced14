// Package wrongunit makes timestamps of times by the client's own conversion.
package wrongunit

import (
	"time"

	"cloud.google.com/go/bigtable"
)

func seconds(mut *bigtable.Mutation, t time.Time) {
	mut.Set("data", "a", bigtable.Timestamp(t.Unix()), nil) // want `wrong-unit: `
}

func millis(mut *bigtable.Mutation, t time.Time) {
	mut.Set("data", "a", bigtable.Timestamp(t.UnixMilli()), nil) // want `wrong-unit: `
}

func nanos(t time.Time) bigtable.Timestamp {
	return bigtable.Timestamp(t.Add(time.Minute).UnixNano()) // want `wrong-unit: `
}

func added(mut *bigtable.Mutation, d time.Duration) {
	mut.Set("data", "a", bigtable.Now()+bigtable.Timestamp(d), nil) // want `wrong-unit: `
}

func addedConstant(mut *bigtable.Mutation) {
	mut.Set("data", "a", bigtable.Now()+bigtable.Timestamp(time.Hour), nil) // want `wrong-unit: `
}
