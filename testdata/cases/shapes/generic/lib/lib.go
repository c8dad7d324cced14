// Package lib has generic helpers.
package lib

import "cloud.google.com/go/bigtable"

// SetAll writes.
func SetAll[T ~string](mut *bigtable.Mutation, family T, ts bigtable.Timestamp) {
	mut.Set(string(family), "x", ts, nil)
}

// Pick returns the timestamp.
func Pick[T any](x T, ts bigtable.Timestamp) bigtable.Timestamp { return ts }

// Now returns the current time.
func Now[T any](x T) bigtable.Timestamp { return bigtable.Now() }
