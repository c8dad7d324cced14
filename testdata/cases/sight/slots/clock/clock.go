// Package clock turns numbers of slots into moments.
package clock

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// Genesis is the beginning of slot 0.
var Genesis = time.Date(2020, 12, 1, 12, 0, 23, 0, time.UTC)

// Period is the length of a slot.
const Period = 12 * time.Second

// Start returns the beginning of a slot.
func Start(slot uint64) time.Time { return Genesis.Add(time.Duration(slot) * Period) }

// Slot returns the number of the slot that a cell is of.
func Slot(ts bigtable.Timestamp) uint64 { return uint64(ts) / 1000 }
