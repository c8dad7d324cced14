// Package epoch keeps dates of the past.
package epoch

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// Founded is before all timestamps.
func Founded() time.Time { return time.Date(1923, time.October, 29, 0, 0, 0, 0, time.UTC) }

// Put writes a date of a person.
func Put(mut *bigtable.Mutation, column string, at time.Time) {
	mut.Set("profile", column, bigtable.Time(at), nil)
}

// PutStamp writes a value with its timestamp.
func PutStamp(mut *bigtable.Mutation, column string, ts bigtable.Timestamp) {
	mut.Set("profile", column, ts, nil)
}
