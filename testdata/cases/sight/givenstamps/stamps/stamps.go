// Package stamps makes functions that make timestamps.
package stamps

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// Written stamps with the time of writing.
func Written() func(time.Time) bigtable.Timestamp { return bigtable.Time }

// After stamps with a time that lies ahead.
func After(d time.Duration) func(time.Time) bigtable.Timestamp {
	return func(now time.Time) bigtable.Timestamp { return bigtable.Time(now.Add(d)) }
}
