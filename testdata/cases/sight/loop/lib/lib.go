// Package lib writes what its callers loop over.
package lib

import "cloud.google.com/go/bigtable"

// Last writes the last value of a ledger.
func Last(m *bigtable.Mutation, column string, n int64, v []byte) {
	m.Set("entry", column, bigtable.Timestamp(n*1000), v)
}

// All writes every value into one cell of a family.
func All(m *bigtable.Mutation, family string, at bigtable.Timestamp, vs [][]byte) {
	for _, v := range vs {
		m.Set(family, "v", at, v)
	}
}

// Batch collects writes of one row.
type Batch struct {
	m   *bigtable.Mutation
	at  bigtable.Timestamp
	num int64
}

// NewBatch starts a row.
func NewBatch(at bigtable.Timestamp) *Batch { return &Batch{m: bigtable.NewMutation(), at: at} }

// Put adds a cell.
func (b *Batch) Put(family, column string, v []byte) *Batch {
	b.m.Set(family, column, b.at, v)
	return b
}

// Next adds a cell under the next number.
func (b *Batch) Next(family, column string, v []byte) {
	b.num++
	b.m.Set(family, column, bigtable.Timestamp(b.num*1000), v)
}
