package bt

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/saga/policy"
)

// Table is the part of the client that repositories use.
type Table interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
	ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
	ApplyBulk(ctx context.Context, rowKeys []string, muts []*bigtable.Mutation, opts ...bigtable.ApplyOption) ([]error, error)
	ApplyReadModifyWrite(ctx context.Context, row string, m *bigtable.ReadModifyWrite) (bigtable.Row, error)
}

// ErrNotFound is returned for rows that are not there.
var ErrNotFound = errors.New("not found")

// ErrConflict is returned when a condition did not hold.
var ErrConflict = errors.New("conflict")

type batch struct {
	tbl  Table
	keys []string
	muts []*bigtable.Mutation
}

// UnitOfWork collects mutations and commits them in bulk, table by table in the order of their first mutation.
type UnitOfWork struct {
	mu      sync.Mutex
	batches []*batch
	retry   policy.Retry
	after   []func()
}

// Begin starts a unit of work.
func Begin(r policy.Retry) *UnitOfWork { return &UnitOfWork{retry: r} }

// Register adds a mutation.
func (u *UnitOfWork) Register(tbl Table, key string, m *bigtable.Mutation) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, b := range u.batches {
		if b.tbl == tbl {
			b.keys, b.muts = append(b.keys, key), append(b.muts, m)
			return
		}
	}
	u.batches = append(u.batches, &batch{tbl: tbl, keys: []string{key}, muts: []*bigtable.Mutation{m}})
}

// After calls f once everything is committed.
func (u *UnitOfWork) After(f func()) { u.after = append(u.after, f) }

// Len is the number of mutations.
func (u *UnitOfWork) Len() int {
	n := 0
	for _, b := range u.batches {
		n += len(b.keys)
	}
	return n
}

// Commit writes everything.
func (u *UnitOfWork) Commit(ctx context.Context) error {
	for _, b := range u.batches {
		if err := u.flush(ctx, b); err != nil {
			return err
		}
	}
	u.batches = nil
	for _, f := range u.after {
		f()
	}
	return nil
}

func (u *UnitOfWork) flush(ctx context.Context, b *batch) error {
	keys, muts := b.keys, b.muts
	for try := 0; ; try++ {
		errs, err := b.tbl.ApplyBulk(ctx, keys, muts)
		if err == nil && errs == nil {
			return nil
		}
		if err == nil {
			var k []string
			var m []*bigtable.Mutation
			for i, e := range errs {
				if e != nil {
					k, m, err = append(k, keys[i]), append(m, muts[i]), e
				}
			}
			keys, muts = k, m
		}
		wait, again := u.retry.Wait(try)
		if !again {
			return fmt.Errorf("commit of %d mutations: %w", len(keys), err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}

// One reads a row and decodes it.
func One[T any](ctx context.Context, tbl Table, key string, decode func(bigtable.Row) (T, error), opts ...bigtable.ReadOption) (T, error) {
	var zero T
	row, err := tbl.ReadRow(ctx, key, opts...)
	if err != nil {
		return zero, fmt.Errorf("read %s: %w", key, err)
	}
	if len(row) == 0 {
		return zero, fmt.Errorf("read %s: %w", key, ErrNotFound)
	}
	return decode(row)
}

// All decodes the rows of a set.
func All[T any](ctx context.Context, tbl Table, rows bigtable.RowSet, decode func(bigtable.Row) (T, error), opts ...bigtable.ReadOption) ([]T, error) {
	var out []T
	var bad error
	err := tbl.ReadRows(ctx, rows, func(r bigtable.Row) bool {
		v, err := decode(r)
		if err != nil {
			bad = fmt.Errorf("row %s: %w", r.Key(), err)
			return false
		}
		out = append(out, v)
		return true
	}, opts...)
	if err == nil {
		err = bad
	}
	return out, err
}

// Known tells whether a row has anything at all.
func Known(ctx context.Context, tbl Table, key string) (bool, error) {
	row, err := tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.StripValueFilter(), bigtable.CellsPerRowLimitFilter(1))))
	if err != nil {
		return false, fmt.Errorf("read %s: %w", key, err)
	}
	return len(row) > 0, nil
}

// Has tells whether a row has a cell that f passes.
func Has(ctx context.Context, tbl Table, key string, f bigtable.Filter) (bool, error) {
	row, err := tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(f, bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())))
	if err != nil {
		return false, fmt.Errorf("read %s: %w", key, err)
	}
	return len(row) > 0, nil
}

// Cell is the newest cell of a column, or nil.
func Cell(row bigtable.Row, family, column string) *bigtable.ReadItem {
	for i := range row[family] {
		if row[family][i].Column == family+":"+column {
			return &row[family][i]
		}
	}
	return nil
}

// Metered counts the calls of a table.
type Metered struct {
	Table
	Calls func(op string, took time.Duration)
}

// ReadRow implements Table.
func (m Metered) ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	defer m.took("ReadRow", time.Now())
	return m.Table.ReadRow(ctx, row, opts...)
}

// Apply implements Table.
func (m Metered) Apply(ctx context.Context, row string, mut *bigtable.Mutation, opts ...bigtable.ApplyOption) error {
	defer m.took("Apply", time.Now())
	return m.Table.Apply(ctx, row, mut, opts...)
}

func (m Metered) took(op string, since time.Time) {
	if m.Calls != nil {
		m.Calls(op, time.Since(since))
	}
}
