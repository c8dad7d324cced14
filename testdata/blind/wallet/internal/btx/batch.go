package btx

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"cloud.google.com/go/bigtable"
)

// bulkApplier is what a Batch needs of a table.
type bulkApplier interface {
	ApplyBulk(ctx context.Context, rowKeys []string, muts []*bigtable.Mutation, opts ...bigtable.ApplyOption) ([]error, error)
}

// Batch collects mutations and applies them together. Its methods may be used
// by several goroutines.
type Batch struct {
	tbl  bulkApplier
	size int

	mu   sync.Mutex
	keys []string
	muts []*bigtable.Mutation
}

// NewBatch returns a batch that is flushed after size mutations.
func NewBatch(tbl bulkApplier, size int) *Batch {
	return &Batch{tbl: tbl, size: max(size, 1)}
}

// Add puts a mutation into the batch, and flushes when it is full.
func (b *Batch) Add(ctx context.Context, key string, mut *bigtable.Mutation) error {
	b.mu.Lock()
	b.keys = append(b.keys, key)
	b.muts = append(b.muts, mut)
	full := len(b.keys) >= b.size
	b.mu.Unlock()
	if full {
		return b.Flush(ctx)
	}
	return nil
}

// Flush applies what has been added.
func (b *Batch) Flush(ctx context.Context) error {
	b.mu.Lock()
	keys, muts := b.keys, b.muts
	b.keys, b.muts = nil, nil
	b.mu.Unlock()
	if len(keys) == 0 {
		return nil
	}
	rowErrs, err := b.tbl.ApplyBulk(ctx, keys, muts)
	if err != nil {
		return fmt.Errorf("apply %d rows: %w", len(keys), err)
	}
	for i, rowErr := range rowErrs {
		if rowErr != nil {
			err = errors.Join(err, fmt.Errorf("row %q: %w", keys[i], rowErr))
		}
	}
	return err
}
