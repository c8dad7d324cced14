// Package store wraps Bigtable's tables: retries, metrics and the helpers that every repository needs.
package store

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"cloud.google.com/go/bigtable"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/idp/internal/metrics"
)

// ErrNotFound is returned for rows and cells that do not exist.
var ErrNotFound = errors.New("store: not found")

// API is the part of a table that we use; *bigtable.Table has it, and so have the fakes.
type API interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
	ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
	ApplyBulk(ctx context.Context, rowKeys []string, muts []*bigtable.Mutation, opts ...bigtable.ApplyOption) ([]error, error)
	ApplyReadModifyWrite(ctx context.Context, row string, m *bigtable.ReadModifyWrite) (bigtable.Row, error)
}

// Table is a table with retries.
type Table struct {
	api      API
	name     string
	attempts int
	backoff  time.Duration
	metrics  *metrics.Registry
}

// Option changes a Table.
type Option func(*Table)

// WithAttempts sets how often a write is tried.
func WithAttempts(n int) Option { return func(t *Table) { t.attempts = n } }

// WithMetrics counts reads and writes.
func WithMetrics(m *metrics.Registry) Option { return func(t *Table) { t.metrics = m } }

// Open opens a table by name.
func Open(c *bigtable.Client, name string, opts ...Option) *Table {
	return Wrap(c.Open(name), name, opts...)
}

// Wrap adds retries to a table.
func Wrap(api API, name string, opts ...Option) *Table {
	t := &Table{api: api, name: name, attempts: 3, backoff: 20 * time.Millisecond}
	for _, o := range opts {
		o(t)
	}
	return t
}

// Name is the name of the table.
func (t *Table) Name() string { return t.name }

// Apply applies a mutation, and tries again when the server is unavailable.
func (t *Table) Apply(ctx context.Context, key string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error {
	defer t.metrics.Observe("apply_"+t.name, time.Now())
	return t.retry(ctx, func() error { return t.api.Apply(ctx, key, m, opts...) })
}

// ApplyBulk applies many mutations and returns the first error.
func (t *Table) ApplyBulk(ctx context.Context, keys []string, muts []*bigtable.Mutation) error {
	return t.retry(ctx, func() error {
		errs, err := t.api.ApplyBulk(ctx, keys, muts)
		if err != nil {
			return err
		}
		return errors.Join(errs...)
	})
}

// ReadRow reads one row.
func (t *Table) ReadRow(ctx context.Context, key string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	defer t.metrics.Observe("read_"+t.name, time.Now())
	row, err := t.api.ReadRow(ctx, key, opts...)
	if err != nil {
		return nil, fmt.Errorf("store: %s: %w", t.name, err)
	}
	return row, nil
}

// ReadRows scans rows.
func (t *Table) ReadRows(ctx context.Context, rows bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error {
	if err := t.api.ReadRows(ctx, rows, f, opts...); err != nil {
		return fmt.Errorf("store: scan of %s: %w", t.name, err)
	}
	return nil
}

// Put writes one cell.
func (t *Table) Put(ctx context.Context, key, family, column string, ts bigtable.Timestamp, value []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(family, column, ts, value)
	return t.Apply(ctx, key, mut)
}

// PutNow writes one cell with the time of writing.
func (t *Table) PutNow(ctx context.Context, key, family, column string, value []byte) error {
	return t.Put(ctx, key, family, column, bigtable.Now(), value)
}

// PutUntil writes one cell that expires.
func (t *Table) PutUntil(ctx context.Context, key, family, column string, until time.Time, value []byte) error {
	return t.Put(ctx, key, family, column, bigtable.Time(until), value)
}

// Increment adds delta to a counter and returns the sum.
func (t *Table) Increment(ctx context.Context, key, family, column string, delta int64) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(family, column, delta)
	row, err := t.api.ApplyReadModifyWrite(ctx, key, rmw)
	if err != nil {
		return 0, fmt.Errorf("store: %s: %w", t.name, err)
	}
	for _, it := range row[family] {
		if len(it.Value) == 8 {
			return int64(binary.BigEndian.Uint64(it.Value)), nil
		}
	}
	return 0, ErrNotFound
}

// Get reads one cell of a column, restricted by more filters.
func (t *Table) Get(ctx context.Context, key, family, column string, more ...bigtable.Filter) (bigtable.ReadItem, error) {
	fs := []bigtable.Filter{bigtable.FamilyFilter(family), bigtable.ColumnFilter(column)}
	fs = append(fs, more...)
	row, err := t.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(fs...)))
	if err != nil {
		return bigtable.ReadItem{}, err
	}
	items := row[family]
	if len(items) == 0 {
		return bigtable.ReadItem{}, ErrNotFound
	}
	return items[0], nil
}

// Scan decodes the rows of a set.
func Scan[T any](ctx context.Context, t *Table, rows bigtable.RowSet, decode func(bigtable.Row) (T, bool), opts ...bigtable.ReadOption) ([]T, error) {
	var out []T
	err := t.ReadRows(ctx, rows, func(r bigtable.Row) bool {
		if v, ok := decode(r); ok {
			out = append(out, v)
		}
		return true
	}, opts...)
	return out, err
}

func (t *Table) retry(ctx context.Context, f func() error) error {
	var err error
	wait := t.backoff
	for i := 0; i < t.attempts; i++ {
		if err = f(); err == nil || !retryable(err) {
			return err
		}
		t.metrics.Inc("retries_" + t.name)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait + rand.N(wait)):
		}
		wait *= 2
	}
	return fmt.Errorf("store: %s: gave up: %w", t.name, err)
}

func retryable(err error) bool {
	switch status.Code(err) {
	case codes.Unavailable, codes.DeadlineExceeded, codes.Aborted:
		return true
	}
	return false
}
