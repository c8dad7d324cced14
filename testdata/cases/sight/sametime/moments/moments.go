// Package moments makes timestamps of times.
package moments

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// Deadline is an hour from now.
func Deadline() time.Time { return time.Now().Add(time.Hour) }

// Stamp is the timestamp of a time.
func Stamp(at time.Time) bigtable.Timestamp { return bigtable.Time(at.UTC()) }
