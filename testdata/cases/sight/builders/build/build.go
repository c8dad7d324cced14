// Package build makes writes and reads step by step.
package build

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// A Write is a cell in the making.
type Write struct {
	family, column string
	ts             bigtable.Timestamp
}

// NewWrite returns a write of a token at the server's time.
func NewWrite(column string) *Write {
	return &Write{family: "token", column: column, ts: bigtable.ServerTime}
}

// Family sets the family.
func (w *Write) Family(name string) *Write { w.family = name; return w }

// Expires sets the moment of expiry.
func (w *Write) Expires(d time.Duration) *Write {
	w.ts = bigtable.Time(time.Now().Add(d))
	return w
}

// At sets the timestamp.
func (w *Write) At(ts bigtable.Timestamp) *Write {
	w.ts = ts
	return w
}

// Mutation returns the write as a mutation.
func (w *Write) Mutation(v []byte) *bigtable.Mutation {
	mut := bigtable.NewMutation()
	mut.Set(w.family, w.column, w.ts, v)
	return mut
}

// A Query is a read in the making; its methods return copies.
type Query struct {
	filter bigtable.Filter
	limit  int64
}

// Select returns a query without bounds.
func Select(family string) Query {
	return Query{filter: bigtable.FamilyFilter(family), limit: 100}
}

// Live bounds it.
func (q Query) Live() Query {
	q.filter = bigtable.ChainFilters(q.filter, bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	return q
}

// Limit sets the limit.
func (q Query) Limit(n int64) Query {
	q.limit = n
	return q
}

// Options returns it as options.
func (q Query) Options() []bigtable.ReadOption {
	return []bigtable.ReadOption{bigtable.RowFilter(q.filter), bigtable.LimitRows(q.limit)}
}
