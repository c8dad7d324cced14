// Package lib makes timestamps of values of several types.
package lib

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// Stamp makes a timestamp of a moment, a lifetime or a timestamp.
func Stamp(v any) bigtable.Timestamp {
	switch v := v.(type) {
	case nil:
		return bigtable.ServerTime
	case time.Time:
		return bigtable.Time(v)
	case *time.Time:
		return bigtable.Time(*v)
	case time.Duration:
		return bigtable.Time(time.Now().Add(v))
	case bigtable.Timestamp:
		return v
	}
	return 0
}

// An Expiry is one of a few ways to say when a cell expires.
type Expiry interface{ expiry() }

// In is a lifetime, At a moment, Never neither.
type (
	In    time.Duration
	At    time.Time
	Never struct{}
)

func (In) expiry()    {}
func (At) expiry()    {}
func (Never) expiry() {}

// Put writes a cell that expires so.
func Put(m *bigtable.Mutation, fam, col string, e Expiry) {
	switch e := e.(type) {
	case In:
		m.Set(fam, col, bigtable.Time(time.Now().Add(time.Duration(e))), nil)
	case At:
		m.Set(fam, col, bigtable.Time(time.Time(e)), nil)
	case Never:
		m.Set(fam, col, bigtable.ServerTime, nil)
	}
}

// Of makes a timestamp of either.
func Of[T time.Time | time.Duration](v T) bigtable.Timestamp {
	if d, ok := any(v).(time.Duration); ok {
		return bigtable.Time(time.Now().Add(d))
	}
	return Stamp(any(v))
}

// PutRecord writes a record, which may say when it expires.
func PutRecord(m *bigtable.Mutation, fam, col string, record any) {
	ts := bigtable.Now()
	if e, ok := record.(interface{ Expires() time.Time }); ok {
		ts = bigtable.Time(e.Expires())
	}
	m.Set(fam, col, ts, nil)
}
