// Package flags lets parameters decide whether a write is wrong.
package flags

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// Put writes a token.
func Put(mut *bigtable.Mutation, ttl time.Duration, v []byte) {
	mut.DeleteCellsInColumn("token", "jwt")
	ts := bigtable.Time(time.Now().Add(ttl))
	if ttl <= 0 {
		ts = bigtable.Now()
	}
	mut.Set("token", "jwt", ts, v) // want `write-time: .* when ttl <= 0 `
}

// Mark writes a token that lives on or not.
func Mark(mut *bigtable.Mutation, kind string, forever bool, v []byte) {
	ts := bigtable.Time(time.Now().Add(time.Hour))
	if !forever && kind == "session" {
		ts = bigtable.ServerTime
	}
	mut.Set("token", "mark", ts, v) // want `server-timestamp: .* when !forever && kind == "session" `
}
