// Package write has the mutations that all stores share.
package write

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
)

// Put sets one cell.
func Put(m *bigtable.Mutation, family, col string, ts bigtable.Timestamp, v []byte) {
	m.Set(family, col, ts, v)
}

// PutString sets one cell.
func PutString(m *bigtable.Mutation, family, col string, ts bigtable.Timestamp, v string) {
	Put(m, family, col, ts, []byte(v))
}

// PutJSON sets one cell to v's JSON.
func PutJSON(m *bigtable.Mutation, family, col string, ts bigtable.Timestamp, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("write: %s:%s: %w", family, col, err)
	}
	m.Set(family, col, ts, b)
	return nil
}

// PutFor sets a cell that expires after d.
func PutFor(m *bigtable.Mutation, family, col string, d time.Duration, v []byte) {
	m.Set(family, col, bigtable.Time(time.Now().Add(d)), v)
}

// Stamped sets a cell at the current time.
func Stamped(m *bigtable.Mutation, family, col string, v []byte) {
	m.Set(family, col, bigtable.Now(), v)
}

// Replace deletes a column and sets it again.
func Replace(m *bigtable.Mutation, family, col string, ts bigtable.Timestamp, v []byte) {
	m.DeleteCellsInColumn(family, col)
	m.Set(family, col, ts, v)
}

// Bump adds delta to a counter cell.
func Bump(ctx context.Context, tbl *bigtable.Table, key, family, col string, delta int64) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(family, col, delta)
	_, err := tbl.ApplyReadModifyWrite(ctx, key, rmw)
	return err
}

// Batch collects mutations and writes them together.
type Batch struct {
	tbl  *bigtable.Table
	keys []string
	muts []*bigtable.Mutation
	max  int
}

// NewBatch makes a batch that writes after max rows.
func NewBatch(tbl *bigtable.Table, max int) *Batch { return &Batch{tbl: tbl, max: max} }

// Add adds a row and writes when the batch is full.
func (b *Batch) Add(ctx context.Context, key string, m *bigtable.Mutation) error {
	b.keys = append(b.keys, key)
	b.muts = append(b.muts, m)
	if len(b.keys) < b.max {
		return nil
	}
	return b.Flush(ctx)
}

// Flush writes what is there.
func (b *Batch) Flush(ctx context.Context) error {
	if len(b.keys) == 0 {
		return nil
	}
	errs, err := b.tbl.ApplyBulk(ctx, b.keys, b.muts)
	b.keys, b.muts = b.keys[:0], b.muts[:0]
	if err != nil {
		return err
	}
	for _, e := range errs {
		if e != nil {
			return e
		}
	}
	return nil
}

// Retry runs f again while it fails.
func Retry(ctx context.Context, n int, wait time.Duration, f func(context.Context) error) error {
	var err error
	for i := 0; i < n; i++ {
		if err = f(ctx); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait << i):
		}
	}
	return err
}
