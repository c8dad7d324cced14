// Package nv has a batch that is used by value: it gets its table after it is made.
package nv

import (
	"context"

	"cloud.google.com/go/bigtable"
)

// A Batch applies what is pushed, some at a time.
type Batch struct {
	tbl  *bigtable.Table
	keys []string
	muts []*bigtable.Mutation
}

// Init sets the table.
func (b *Batch) Init(tbl *bigtable.Table) { b.tbl = tbl }

// Reset forgets what was pushed, and keeps the table.
func (b *Batch) Reset() { b.keys, b.muts = nil, nil }

// Push adds a mutation.
func (b *Batch) Push(ctx context.Context, key string, mut *bigtable.Mutation) error {
	b.keys, b.muts = append(b.keys, key), append(b.muts, mut)
	if len(b.muts) > 9 {
		return b.Flush(ctx)
	}
	return nil
}

// Flush applies what is left.
func (b *Batch) Flush(ctx context.Context) error {
	_, err := b.tbl.ApplyBulk(ctx, b.keys, b.muts)
	return err
}

// Open sets the table if there is one.
func (b *Batch) Open(c *bigtable.Client, on bool) {
	if on {
		b.tbl = c.Open("sessions")
	}
}
