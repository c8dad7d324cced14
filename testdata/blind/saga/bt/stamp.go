// Package bt is what the repositories share: timestamps, filters, the unit of work.
package bt

import (
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/saga/clock"
	"example.com/saga/vo"
)

// ExpiresIn is the timestamp of a cell that lives for d.
func ExpiresIn(c clock.Clock, d time.Duration) bigtable.Timestamp {
	return bigtable.Time(c.Now().Add(d))
}

// ExpiresAt is the timestamp of a cell that lives until dl.
func ExpiresAt(dl vo.Deadline) bigtable.Timestamp { return bigtable.Time(dl.Time()) }

// Stamp is the time by c, for families with ordinary timestamps.
func Stamp(c clock.Clock) bigtable.Timestamp { return bigtable.Time(c.Now()) }

// Rev is the timestamp of revision r.
func Rev(r vo.Revision) bigtable.Timestamp { return bigtable.Timestamp(r.Micros()) }

// Shifted is the timestamp that makes a cell live for want in a family that collects after ttl.
func Shifted(c clock.Clock, want, ttl time.Duration) bigtable.Timestamp {
	return bigtable.Time(c.Now().Add(want - ttl))
}

// Put is Set with a string.
func Put(m *bigtable.Mutation, family, column string, ts bigtable.Timestamp, v string) {
	m.Set(family, column, ts, []byte(v))
}

// PutUntil writes a value that is valid until the given moment.
func PutUntil(m *bigtable.Mutation, family, column string, until time.Time, v string) {
	m.Set(family, column, bigtable.Time(until), []byte(v))
}

// Replace deletes what the column has before it writes.
func Replace(m *bigtable.Mutation, family, column string, ts bigtable.Timestamp, v []byte) {
	m.DeleteCellsInColumn(family, column)
	m.Set(family, column, ts, v) // ok ttlwrite/delete-after-set
}
