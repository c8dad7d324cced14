// Package lib sets what it returns in deferred functions.
package lib

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// Until is when a lifetime ends, or now.
func Until(d time.Duration) (ts bigtable.Timestamp) {
	defer func() {
		if ts == 0 {
			ts = bigtable.Now()
		}
	}()
	if d <= 0 {
		return 0
	}
	return bigtable.Time(time.Now().Add(d))
}

// Server is the server's time, whatever it seems to return.
func Server(d time.Duration) (ts bigtable.Timestamp) {
	defer func() { ts = bigtable.ServerTime }()
	return bigtable.Time(time.Now().Add(d))
}
