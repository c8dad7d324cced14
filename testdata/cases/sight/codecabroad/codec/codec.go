// Package codec decodes cells: the time of one is kept in a field.
package codec

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// A Lease is what a cell says.
type Lease struct {
	Owner   string
	Expires time.Time
}

// Expired compares it.
func (l Lease) Expired(now time.Time) bool { return now.After(l.Expires) }

// Decode keeps the time of the cell.
func Decode(it bigtable.ReadItem) Lease {
	return Lease{string(it.Value), it.Timestamp.Time()}
}
