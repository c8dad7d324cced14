package btstore

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"cloud.google.com/go/bigtable"
)

// Batch collects mutations and writes them in groups.
type Batch struct {
	tbl  *Table
	size int

	mu   sync.Mutex
	keys []string
	muts []*bigtable.Mutation
}

// NewBatch makes a batch that writes itself whenever size mutations are there.
func (t *Table) NewBatch(size int) *Batch {
	return &Batch{tbl: t, size: max(size, 1)}
}

// Add adds a mutation.
func (b *Batch) Add(ctx context.Context, key string, m *bigtable.Mutation) error {
	b.mu.Lock()
	b.keys = append(b.keys, key)
	b.muts = append(b.muts, m)
	full := len(b.keys) >= b.size
	b.mu.Unlock()
	if full {
		return b.Flush(ctx)
	}
	return nil
}

// Put adds one cell.
func (b *Batch) Put(ctx context.Context, key, family, column string, ts bigtable.Timestamp, v []byte) error {
	m := bigtable.NewMutation()
	m.Set(family, column, ts, v)
	return b.Add(ctx, key, m)
}

// Flush writes what is there.
func (b *Batch) Flush(ctx context.Context) error {
	b.mu.Lock()
	keys, muts := b.keys, b.muts
	b.keys, b.muts = nil, nil
	b.mu.Unlock()
	if len(keys) == 0 {
		return nil
	}
	errs, err := b.tbl.api.ApplyBulk(ctx, keys, muts)
	if err != nil {
		return fmt.Errorf("%s: bulk of %d: %w", b.tbl.name, len(keys), err)
	}
	var all []error
	for i, err := range errs {
		if err != nil {
			all = append(all, fmt.Errorf("%s: %q: %w", b.tbl.name, keys[i], err))
		}
	}
	return errors.Join(all...)
}

// Close flushes what is left.
func (b *Batch) Close(ctx context.Context) error { return b.Flush(ctx) }
