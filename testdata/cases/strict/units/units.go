// Package units has a wrong unit in a write whose lifetime varies: both are said.
package units

import (
	"time"

	"cloud.google.com/go/bigtable"
)

func both(mut *bigtable.Mutation, day time.Time) {
	at := bigtable.Time(day)
	mut.Set("event", "click", at+bigtable.Timestamp(15*time.Minute), nil) // want `stale-survivor: .*"event"` `wrong-unit`
}
