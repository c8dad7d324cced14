// Package book keeps what it is given: a table, and a clock of an interface.
package book

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// A Clock says which time it is.
type Clock interface{ Now() time.Time }

// Wall reads the clock.
type Wall struct{}

// Now reads it.
func (Wall) Now() time.Time { return time.Now() }

// A Book has pages of one table.
type Book struct {
	tbl   *bigtable.Table
	clock Clock
}

// New makes one.
func New(tbl *bigtable.Table, clock Clock) *Book { return &Book{tbl, clock} }

// Remark writes by the clock.
func (b *Book) Remark(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	mut.Set("page", "remark", bigtable.Time(b.clock.Now()), nil)
	return b.tbl.Apply(ctx, key, mut)
}
