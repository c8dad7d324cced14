// Package mutate has the helpers around mutations.
package mutate

import (
	"encoding/binary"
	"time"

	"cloud.google.com/go/bigtable"
)

// Until is the timestamp of a cell that expires after ttl.
func Until(now time.Time, ttl time.Duration) bigtable.Timestamp {
	return bigtable.Time(now.Add(ttl))
}

// NowTS is the timestamp of ordinary cells.
func NowTS() bigtable.Timestamp { return bigtable.Now() }

// Shifted is the timestamp of a cell in a default-expiration family that is to
// live for want instead of def.
func Shifted(now time.Time, want, def time.Duration) bigtable.Timestamp {
	return bigtable.Time(now.Add(want - def))
}

// Seq turns a counter into a timestamp.
func Seq(n int64) bigtable.Timestamp { return bigtable.Timestamp(n * 1000) }

// Put sets a cell and returns the mutation for chaining.
func Put(m *bigtable.Mutation, family, column string, ts bigtable.Timestamp, value []byte) *bigtable.Mutation {
	m.Set(family, column, ts, value)
	return m
}

// Replace deletes the column before it sets it, so that a shorter life wins.
func Replace(m *bigtable.Mutation, family, column string, ts bigtable.Timestamp, value []byte) {
	m.DeleteCellsInColumn(family, column) // ok ttlwrite/delete-after-set
	m.Set(family, column, ts, value)
}

// Int encodes a counter.
func Int(n int64) []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(n))
}

// ParseInt decodes it.
func ParseInt(b []byte) int64 {
	if len(b) != 8 {
		return 0
	}
	return int64(binary.BigEndian.Uint64(b))
}

// Setter is the generic form that the 2024 services use.
type Setter[T any] struct {
	Family string
	Encode func(T) []byte
	Stamp  func(T) bigtable.Timestamp
}

// Add appends a cell for v.
func (s Setter[T]) Add(m *bigtable.Mutation, column string, v T) {
	m.Set(s.Family, column, s.Stamp(v), s.Encode(v))
}
