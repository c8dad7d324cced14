// Package store imports the client.
package store

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// Entry is what a row holds.
type Entry struct {
	Value      []byte
	ModifiedAt time.Time
	until      time.Time
}

// SetModified is given a timestamp.
func (e *Entry) SetModified(ts bigtable.Timestamp) { e.ModifiedAt = ts.Time() }

// SetUntil is given one too.
func (e *Entry) SetUntil(ts bigtable.Timestamp) { e.until = ts.Time() }
