// Package bat has a batch.
package bat

import (
	"context"

	"cloud.google.com/go/bigtable"
)

// A Batch collects what it applies later.
type Batch struct {
	tbl  *bigtable.Table
	keys []string
	muts []*bigtable.Mutation
}

// New makes a batch for a table.
func New(tbl *bigtable.Table) *Batch { return &Batch{tbl: tbl} }

// Add keeps a mutation.
func (b *Batch) Add(key string, mut *bigtable.Mutation) {
	b.keys, b.muts = append(b.keys, key), append(b.muts, mut)
}

// Flush applies what was added.
func (b *Batch) Flush(ctx context.Context) error {
	_, err := b.tbl.ApplyBulk(ctx, b.keys, b.muts)
	return err
}
