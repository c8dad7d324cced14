// Package build builds mutations by chains of calls.
package build

import "cloud.google.com/go/bigtable"

// A Row is what is written to one row.
type Row struct{ m *bigtable.Mutation }

// New begins a chain.
func New() *Row { return &Row{bigtable.NewMutation()} }

// Set adds a cell.
func (r *Row) Set(family, column string, ts bigtable.Timestamp, v []byte) *Row {
	r.m.Set(family, column, ts, v)
	return r
}

// Mutation ends it.
func (r *Row) Mutation() *bigtable.Mutation { return r.m }
