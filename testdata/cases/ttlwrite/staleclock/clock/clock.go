// Package clock keeps readings of the clock for others.
package clock

import (
	"sync"
	"time"

	"cloud.google.com/go/bigtable"
)

// Started is when the program started.
var Started = time.Now()

// Stamp is the same as a timestamp.
var Stamp = bigtable.Now()

// Ticking is kept up to date.
var Ticking = time.Now()

// Tick keeps it so.
func Tick() { Ticking = time.Now() }

var first = sync.OnceValue(time.Now)

// First returns when it was called first.
func First() time.Time { return first() }
