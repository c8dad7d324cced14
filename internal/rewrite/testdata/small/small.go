// Package small is a package to look at.
package small

import (
	"time"

	"cloud.google.com/go/bigtable"
)

var last, expiry = bigtable.Now(), 0 * time.Second

type edit struct{ family string }

// apply writes a cell.
func (e edit) apply(mut *bigtable.Mutation, at time.Time) {
	mut.Set(e.family, "column", bigtable.Time(at.Add(expiry)), nil) // of some family
	e.erase(mut)
}

// erase deletes
// what is too old.
func (e edit) erase(mut *bigtable.Mutation) {
	mut.DeleteTimestampRange(e.family, "column",
		0,
		last)
}
