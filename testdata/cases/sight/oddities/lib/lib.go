// Package lib builds mutations by values and functions.
package lib

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// Option changes a mutation.
type Option func(*bigtable.Mutation)

// Body adds a value with the time of writing.
func Body(b []byte) Option {
	return func(m *bigtable.Mutation) { m.Set("val", "body", bigtable.Now(), b) }
}

// Fresh adds a value that lives.
func Fresh(b []byte, d time.Duration) Option {
	return func(m *bigtable.Mutation) { m.Set("val", "body", bigtable.Time(time.Now().Add(d)), b) }
}

// Mutation makes a mutation of options.
func Mutation(opts ...Option) *bigtable.Mutation {
	m := bigtable.NewMutation()
	for _, o := range opts {
		o(m)
	}
	return m
}

// B is a builder by value.
type B struct {
	m   *bigtable.Mutation
	fam string
	ts  bigtable.Timestamp
}

// New begins.
func New(fam string) B { return B{m: bigtable.NewMutation(), fam: fam, ts: bigtable.Now()} }

// At sets the timestamp of what follows.
func (b B) At(ts bigtable.Timestamp) B {
	b.ts = ts
	return b
}

// Put adds a value.
func (b B) Put(col string, v []byte) B {
	b.m.Set(b.fam, col, b.ts, v)
	return b
}

// Done ends.
func (b B) Done() *bigtable.Mutation { return b.m }

// Keyed is a mutation and where it goes.
type Keyed struct {
	Key string
	*bigtable.Mutation
}

// ForKey makes one with a marker.
func ForKey(key string) Keyed {
	k := Keyed{Key: key, Mutation: bigtable.NewMutation()}
	k.Set("val", "marker", bigtable.Now(), nil)
	return k
}

// Cell2 makes a mutation of one cell by way of another function.
func Cell2(fam string, ts bigtable.Timestamp) *bigtable.Mutation { return cell(fam, ts) }

func cell(fam string, ts bigtable.Timestamp) *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.Set(fam, "c", ts, nil)
	return m
}
