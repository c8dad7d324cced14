package btx

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
)

// Applier is what Bulk needs of a table.
type Applier interface {
	ApplyBulk(ctx context.Context, rowKeys []string, muts []*bigtable.Mutation, opts ...bigtable.ApplyOption) ([]error, error)
}

// Bulk collects mutations and sends them in batches.
type Bulk struct {
	Table  Applier
	Size   int
	Pause  time.Duration
	DryRun bool

	keys   []string
	muts   []*bigtable.Mutation
	sent   int
	failed int
}

// NewBulk has room for size mutations; 0 is 500.
func NewBulk(t Applier, size int, dry bool) *Bulk {
	if size <= 0 {
		size = 500
	}
	return &Bulk{Table: t, Size: size, DryRun: dry}
}

// Add takes one mutation, and sends when the batch is full.
func (b *Bulk) Add(ctx context.Context, key string, m *bigtable.Mutation) error {
	if key == "" {
		return errors.New("empty row key")
	}
	b.keys = append(b.keys, key)
	b.muts = append(b.muts, m)
	if len(b.keys) >= b.Size {
		return b.Flush(ctx)
	}
	return nil
}

// Flush sends what is left.
func (b *Bulk) Flush(ctx context.Context) error {
	if len(b.keys) == 0 {
		return nil
	}
	defer func() { b.keys, b.muts = b.keys[:0], b.muts[:0] }()
	if b.DryRun {
		b.sent += len(b.keys)
		return nil
	}
	errs, err := b.Table.ApplyBulk(ctx, b.keys, b.muts)
	if err != nil {
		return fmt.Errorf("apply %d mutations from %q: %w", len(b.keys), b.keys[0], err)
	}
	for _, err := range errs {
		if err != nil {
			b.failed++
		}
	}
	b.sent += len(b.keys) - b.failed
	if b.Pause > 0 {
		select {
		case <-time.After(b.Pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// Sent and Failed are for the closing line.
func (b *Bulk) Sent() int   { return b.sent }
func (b *Bulk) Failed() int { return b.failed }
