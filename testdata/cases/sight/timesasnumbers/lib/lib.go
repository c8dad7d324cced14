// Package lib writes at times that its callers know.
package lib

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// Posted writes at the time of an entry.
func Posted(m *bigtable.Mutation, family string, at time.Time) {
	m.Set(family, "posted", bigtable.Time(at), nil)
}

// Number makes a time of a number.
func Number(n int64) time.Time { return time.UnixMilli(n) }

// Clock tells the time.
type Clock interface{ Now() time.Time }

// An Entry was posted at a time.
type Entry struct {
	Posted time.Time
	Seq    int64
}

// When returns the time of an entry.
func (e *Entry) When() time.Time { return e.Posted }

// Version returns the time that stands for the entry's number.
func (e *Entry) Version() time.Time { return time.UnixMilli(e.Seq) }
