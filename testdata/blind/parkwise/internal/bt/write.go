package bt

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
)

// Builder builds the mutation of one row.
type Builder struct {
	m   *bigtable.Mutation
	err error
}

// Build starts a mutation.
func Build() *Builder { return &Builder{m: bigtable.NewMutation()} }

// PutAt writes a value with a timestamp of the caller's.
func (b *Builder) PutAt(family, column string, ts bigtable.Timestamp, value []byte) *Builder {
	b.m.Set(family, column, ts, value)
	return b
}

// PutUntil writes a value that expires at deadline.
func (b *Builder) PutUntil(family, column string, deadline time.Time, value []byte) *Builder {
	b.m.Set(family, column, bigtable.Time(deadline), value)
	return b
}

// Put writes a value with the server's clock.
func (b *Builder) Put(family, column string, value []byte) *Builder {
	b.m.Set(family, column, bigtable.ServerTime, value)
	return b
}

// PutZero writes a value that replaces whatever is there.
func (b *Builder) PutZero(family, column string, value []byte) *Builder {
	b.m.Set(family, column, 0, value)
	return b
}

// PutJSON writes v with a timestamp of the caller's.
func (b *Builder) PutJSON(family, column string, ts bigtable.Timestamp, v any) *Builder {
	raw, err := json.Marshal(v)
	if err != nil {
		b.err = errors.Join(b.err, fmt.Errorf("%s:%s: %w", family, column, err))
		return b
	}
	return b.PutAt(family, column, ts, raw)
}

// Clear deletes a column.
func (b *Builder) Clear(family, column string) *Builder {
	b.m.DeleteCellsInColumn(family, column)
	return b
}

// Mutation returns what was built.
func (b *Builder) Mutation() (*bigtable.Mutation, error) { return b.m, b.err }

// Apply applies what was built.
func (b *Builder) Apply(ctx context.Context, tbl Table, key string) error {
	if b.err != nil {
		return b.err
	}
	return tbl.Apply(ctx, key, b.m)
}

// ExpiresIn is the timestamp of a cell that lives for d.
func ExpiresIn(now time.Time, d time.Duration) bigtable.Timestamp { return bigtable.Time(now.Add(d)) }

// Aged is the timestamp with which a cell of a family that is collected after def lives for ttl.
func Aged(now time.Time, def, ttl time.Duration) bigtable.Timestamp {
	return bigtable.Time(now.Add(ttl - def))
}

// Seq is the timestamp of the n-th version.
func Seq(n int64) bigtable.Timestamp { return bigtable.Timestamp(n * 1000) }

// Bulk collects mutations.
type Bulk struct {
	keys []string
	muts []*bigtable.Mutation
}

// Add adds a mutation.
func (b *Bulk) Add(key string, m *bigtable.Mutation) {
	b.keys = append(b.keys, key)
	b.muts = append(b.muts, m)
}

// Len is the number of mutations.
func (b *Bulk) Len() int { return len(b.keys) }

// Flush writes them and starts anew.
func (b *Bulk) Flush(ctx context.Context, tbl Table) error {
	if len(b.keys) == 0 {
		return nil
	}
	errs, err := tbl.ApplyBulk(ctx, b.keys, b.muts)
	b.keys, b.muts = b.keys[:0], b.muts[:0]
	return errors.Join(append(errs, err)...)
}
