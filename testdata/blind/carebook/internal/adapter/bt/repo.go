package bt

import (
	"context"
	"encoding/json"
	"fmt"

	"cloud.google.com/go/bigtable"

	"github.com/carebook/appointments/internal/platform/port"
)

// Codec turns values into bytes and back.
type Codec[T any] interface {
	Encode(T) ([]byte, error)
	Decode([]byte) (T, error)
}

// JSON is the codec of most repositories.
type JSON[T any] struct{}

// Encode implements Codec.
func (JSON[T]) Encode(v T) ([]byte, error) { return json.Marshal(v) }

// Decode implements Codec.
func (JSON[T]) Decode(b []byte) (v T, err error) { err = json.Unmarshal(b, &v); return v, err }

// Repo stores values of one type in one column. It implements port.Store.
type Repo[T any] struct {
	rows   Rows
	family string
	column string
	codec  Codec[T]
	stamp  func(T) bigtable.Timestamp
	filter func() bigtable.Filter
}

// Option configures a Repo.
type Option[T any] func(*Repo[T])

// StampWith chooses the timestamp of each value.
func StampWith[T any](f func(T) bigtable.Timestamp) Option[T] {
	return func(r *Repo[T]) { r.stamp = f }
}

// ReadThrough chooses the filter of all reads.
func ReadThrough[T any](f func() bigtable.Filter) Option[T] {
	return func(r *Repo[T]) { r.filter = f }
}

// NewRepo returns a repository over one column. Without options it stamps with the write time and reads everything.
func NewRepo[T any](rows Rows, family, column string, opts ...Option[T]) *Repo[T] {
	r := &Repo[T]{
		rows:   rows,
		family: family,
		column: column,
		codec:  JSON[T]{},
		stamp:  func(T) bigtable.Timestamp { return bigtable.Now() },
	}
	for _, o := range opts {
		o(r)
	}
	return r
}

// Get implements port.Store.
func (r *Repo[T]) Get(ctx context.Context, key string) (T, error) {
	var zero T
	var opts []bigtable.ReadOption
	if r.filter != nil {
		opts = append(opts, bigtable.RowFilter(r.filter()))
	}
	row, err := r.rows.ReadRow(ctx, key, opts...)
	if err != nil {
		return zero, fmt.Errorf("%s/%s: %w", r.family, key, err)
	}
	it, ok := First(row, r.family, r.column)
	if !ok {
		return zero, port.ErrNotFound
	}
	return r.codec.Decode(it.Value)
}

// Put implements port.Store.
func (r *Repo[T]) Put(ctx context.Context, key string, v T) error {
	b, err := r.codec.Encode(v)
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set(r.family, r.column, r.stamp(v), b)
	return r.rows.Apply(ctx, key, mut)
}

// PutAt stores a value with a timestamp of the caller's choice.
func (r *Repo[T]) PutAt(ctx context.Context, key string, ts bigtable.Timestamp, v T) error {
	b, err := r.codec.Encode(v)
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set(r.family, r.column, ts, b)
	return r.rows.Apply(ctx, key, mut)
}

// Delete implements port.Store.
func (r *Repo[T]) Delete(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(r.family, r.column)
	return r.rows.Apply(ctx, key, mut)
}

// Collect reads rows and decodes each.
func Collect[T any](ctx context.Context, rows Rows, set bigtable.RowSet, decode func(bigtable.Row) (T, bool), opts ...bigtable.ReadOption) ([]T, error) {
	var out []T
	err := rows.ReadRows(ctx, set, func(row bigtable.Row) bool {
		if v, ok := decode(row); ok {
			out = append(out, v)
		}
		return ctx.Err() == nil
	}, opts...)
	return out, err
}

// Batch gathers mutations of many rows.
type Batch struct {
	keys []string
	muts []*bigtable.Mutation
}

// Add puts a mutation into the batch.
func (b *Batch) Add(key string, m *bigtable.Mutation) {
	b.keys = append(b.keys, key)
	b.muts = append(b.muts, m)
}

// Len is the number of rows.
func (b *Batch) Len() int { return len(b.keys) }

// Flush writes the batch.
func (b *Batch) Flush(ctx context.Context, rows Rows) error {
	if len(b.keys) == 0 {
		return nil
	}
	errs, err := rows.ApplyBulk(ctx, b.keys, b.muts)
	if err != nil {
		return err
	}
	for i, e := range errs {
		if e != nil {
			return fmt.Errorf("row %s: %w", b.keys[i], e)
		}
	}
	b.keys, b.muts = b.keys[:0], b.muts[:0]
	return nil
}
