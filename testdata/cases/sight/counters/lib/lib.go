// Package lib numbers writes.
package lib

import (
	"sync"
	"sync/atomic"

	"cloud.google.com/go/bigtable"
)

// A Numberer numbers.
type Numberer interface{ Next() int64 }

// A Counter counts.
type Counter struct {
	mu sync.Mutex
	n  int64
}

// Next returns the next number.
func (c *Counter) Next() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	return c.n
}

// An Atomic counts without a lock.
type Atomic struct{ n atomic.Int64 }

// Next returns the next number.
func (a *Atomic) Next() int64 { return a.n.Add(1) }

// Put writes under the next number.
func Put(m *bigtable.Mutation, next func() int64) {
	m.Set("entry", "c", bigtable.Timestamp(next()), nil)
}

// PutScaled does so as milliseconds.
func PutScaled(m *bigtable.Mutation, next func() int64) {
	m.Set("entry", "c", bigtable.Timestamp(next()*1000), nil)
}

// PutNumber writes under a number.
func PutNumber(m *bigtable.Mutation, n Numberer) {
	m.Set("entry", "c", bigtable.Timestamp(n.Next()), nil)
}

// An Appender writes what it numbers.
type Appender struct {
	Family string
	Next   func() int64
}

// Append writes.
func (a Appender) Append(m *bigtable.Mutation) {
	m.Set(a.Family, "c", bigtable.Timestamp(a.Next()), nil)
}
