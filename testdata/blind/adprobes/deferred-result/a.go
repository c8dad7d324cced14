// Package deferredresult: a deferred function literal sets the named result. Missed.
package deferredresult

import (
	"time"

	"cloud.google.com/go/bigtable"
)

func until(d time.Duration) (ts bigtable.Timestamp) {
	defer func() {
		if ts == 0 {
			ts = bigtable.Now()
		}
	}()
	if d > 0 {
		ts = bigtable.Time(time.Now().Add(d))
	}
	return ts
}

func always(d time.Duration) (ts bigtable.Timestamp) {
	defer func() { ts = bigtable.ServerTime }()
	return bigtable.Time(time.Now().Add(d))
}

func write(m *bigtable.Mutation) {
	m.Set("cap", "a", until(0), nil)          // want ttlwrite/write-time
	m.Set("cap", "b", until(time.Hour), nil)  // ok ttlwrite/write-time
	m.Set("cap", "c", always(time.Hour), nil) // want ttlwrite/server-timestamp
}

var _ = write
