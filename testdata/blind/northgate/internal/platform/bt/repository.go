package bt

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"cloud.google.com/go/bigtable"
)

// Repository keeps one value of type T per row, in one column, as JSON.
type Repository[T any] struct {
	tbl    Table
	family string
	column string
	stamp  func(T) bigtable.Timestamp
	filter func() bigtable.Filter
}

// RepoOption configures a Repository.
type RepoOption[T any] func(*Repository[T])

// Stamped sets how the timestamps of cells are made.
func Stamped[T any](f func(T) bigtable.Timestamp) RepoOption[T] {
	return func(r *Repository[T]) { r.stamp = f }
}

// Filtered sets what every read is filtered with.
func Filtered[T any](f func() bigtable.Filter) RepoOption[T] {
	return func(r *Repository[T]) { r.filter = f }
}

// NewRepository makes a repository. Without options cells carry the time of
// the write and reads return the newest one.
func NewRepository[T any](tbl Table, family, column string, opts ...RepoOption[T]) *Repository[T] {
	r := &Repository[T]{
		tbl: tbl, family: family, column: column,
		stamp:  func(T) bigtable.Timestamp { return bigtable.Now() },
		filter: Newest,
	}
	for _, o := range opts {
		o(r)
	}
	return r
}

// Get reads the value of a row.
func (r *Repository[T]) Get(ctx context.Context, key string) (T, error) {
	var v T
	row, err := r.tbl.ReadRow(ctx, key, bigtable.RowFilter(In(r.family, r.filter())))
	if err != nil {
		return v, fmt.Errorf("get %s: %w", key, err)
	}
	it, ok := First(row, r.family, r.column)
	if !ok {
		return v, ErrNotFound
	}
	return v, json.Unmarshal(it.Value, &v)
}

// Put writes the value of a row.
func (r *Repository[T]) Put(ctx context.Context, key string, v T) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("put %s: %w", key, err)
	}
	m := bigtable.NewMutation()
	m.Set(r.family, r.column, r.stamp(v), b)
	return r.tbl.Apply(ctx, key, m)
}

// Delete removes the value of a row.
func (r *Repository[T]) Delete(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(r.family, r.column)
	return r.tbl.Apply(ctx, key, m)
}

// All ranges over the values below a prefix.
func (r *Repository[T]) All(ctx context.Context, prefix string) iter.Seq2[string, T] {
	return func(yield func(string, T) bool) {
		for row, err := range Rows(ctx, r.tbl, bigtable.PrefixRange(prefix), bigtable.RowFilter(In(r.family, r.filter()))) {
			if err != nil {
				return
			}
			it, ok := First(row, r.family, r.column)
			var v T
			if !ok || json.Unmarshal(it.Value, &v) != nil {
				continue
			}
			if !yield(row.Key(), v) {
				return
			}
		}
	}
}
