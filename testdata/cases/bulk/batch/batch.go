// Package batch collects mutations for other packages and writes them.
package batch

import (
	"context"

	"cloud.google.com/go/bigtable"
)

// A Batch is a list of mutations with their rows.
type Batch struct {
	Keys []string
	Muts []*bigtable.Mutation
}

// New makes a batch.
func New(n int) *Batch {
	return &Batch{Keys: make([]string, 0, n), Muts: make([]*bigtable.Mutation, 0, n)}
}

// Add adds a mutation.
func (b *Batch) Add(key string, mut *bigtable.Mutation) {
	b.Keys = append(b.Keys, key)
	b.Muts = append(b.Muts, mut)
}

// AddCell adds a mutation that sets a cell.
func (b *Batch) AddCell(key, family string, ts bigtable.Timestamp) {
	mut := bigtable.NewMutation()
	mut.Set(family, "v", ts, nil)
	b.Add(key, mut)
}

// Write writes a batch in slices.
func Write(ctx context.Context, b *Batch, tbl *bigtable.Table, size int) error {
	for i := 0; i < len(b.Keys)/size; i++ {
		start, end := i*size, i*size+size
		if _, err := tbl.ApplyBulk(ctx, b.Keys[start:end], b.Muts[start:end]); err != nil {
			return err
		}
	}
	_, err := tbl.ApplyBulk(ctx, b.Keys, b.Muts)
	return err
}
