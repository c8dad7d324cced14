package btstore

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// Cell is one cell to be written. Without a timestamp the server's clock is
// used.
type Cell struct {
	Family, Column string
	TS             bigtable.Timestamp
	Value          []byte
}

// Write writes cells to one row in one mutation.
func (t *Table) Write(ctx context.Context, key string, cells ...Cell) error {
	m := bigtable.NewMutation()
	for _, c := range cells {
		ts := c.TS
		if ts == 0 {
			ts = bigtable.ServerTime
		}
		m.Set(c.Family, c.Column, ts, c.Value)
	}
	return t.Apply(ctx, key, m)
}

// Op is a part of a mutation. It gets the time at which the mutation is made.
type Op func(m *bigtable.Mutation, now time.Time)

// Put writes a cell at the time of the mutation.
func Put(family, column string, value []byte) Op {
	return func(m *bigtable.Mutation, now time.Time) {
		m.Set(family, column, bigtable.Time(now), value)
	}
}

// PutServer writes a cell with the server's time.
func PutServer(family, column string, value []byte) Op {
	return func(m *bigtable.Mutation, _ time.Time) {
		m.Set(family, column, bigtable.ServerTime, value)
	}
}

// PutFor writes a cell that expires after ttl.
func PutFor(family, column string, ttl time.Duration, value []byte) Op {
	return func(m *bigtable.Mutation, now time.Time) {
		m.Set(family, column, bigtable.Time(now.Add(ttl)), value)
	}
}

// PutAt writes a cell with the timestamp given.
func PutAt(family, column string, ts bigtable.Timestamp, value []byte) Op {
	return func(m *bigtable.Mutation, _ time.Time) {
		m.Set(family, column, ts, value)
	}
}

// PutSeq writes a cell with a sequence number.
func PutSeq(family, column string, n int64, value []byte) Op {
	return func(m *bigtable.Mutation, _ time.Time) {
		m.Set(family, column, SeqNo(n), value)
	}
}

// Drop deletes a column.
func Drop(family, column string) Op {
	return func(m *bigtable.Mutation, _ time.Time) { m.DeleteCellsInColumn(family, column) }
}

// Build makes a mutation of ops.
func Build(now time.Time, ops ...Op) *bigtable.Mutation {
	m := bigtable.NewMutation()
	for _, op := range ops {
		op(m, now)
	}
	return m
}

// Mutate applies ops to a row.
func (t *Table) Mutate(ctx context.Context, key string, ops ...Op) error {
	return t.Apply(ctx, key, Build(t.clock(), ops...))
}

// SeqNo is the timestamp of a sequence number.
func SeqNo(n int64) bigtable.Timestamp { return bigtable.Timestamp(n * 1000) } // ok ttlwrite/unscaled-sequence

// NumberOf is the sequence number of a timestamp.
func NumberOf(ts bigtable.Timestamp) int64 { return int64(ts) / 1000 }

// Expiry is the timestamp of a cell that expires after ttl.
func Expiry(ttl time.Duration) bigtable.Timestamp {
	return bigtable.Time(time.Now().Add(ttl)) // ok ttlwrite/write-time
}

// Shifted is the timestamp of a cell that lives for ttl in a family whose
// policy is a maximum age of def.
func Shifted(def, ttl time.Duration) bigtable.Timestamp {
	return bigtable.Time(time.Now().Add(ttl - def)) // ok ttlwrite/already-expired
}

// Wall is the present as a timestamp.
func Wall() bigtable.Timestamp { return bigtable.Time(time.Now()) }

// FromMillis is the timestamp of a Java or JavaScript time.
func FromMillis(ms int64) bigtable.Timestamp { return bigtable.Time(time.UnixMilli(ms)) } // ok ttlunit/wrong-unit

// FromTime is what FromMillis is for a time.
func FromTime(t time.Time) bigtable.Timestamp {
	return bigtable.Timestamp(t.UnixMilli()) // want ttlunit/wrong-unit
}

// Micros is the timestamp of a time, cut to the milliseconds that tables keep.
func Micros(t time.Time) bigtable.Timestamp {
	return bigtable.Timestamp(t.UnixMilli() * 1000) // ok ttlunit/wrong-unit
}
