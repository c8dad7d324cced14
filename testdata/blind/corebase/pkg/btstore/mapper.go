package btstore

import (
	"context"
	"errors"
	"fmt"

	"cloud.google.com/go/bigtable"
)

// ErrNotFound is returned for rows that are not there.
var ErrNotFound = errors.New("btstore: not found")

// Mapper turns values into cells and rows into values.
type Mapper[T any] interface {
	Cells(v T) ([]Cell, error)
	FromRow(row bigtable.Row) (T, error)
}

// RowFunc is half a Mapper: rows into values.
type RowFunc[T any] func(bigtable.Row) (T, error)

// Fetch reads one row and maps it.
func Fetch[T any](ctx context.Context, t *Table, key string, fn RowFunc[T], opts ...ReadOpt) (T, error) {
	var zero T
	row, err := t.Get(ctx, key, opts...)
	if err != nil {
		return zero, err
	}
	if len(row) == 0 {
		return zero, fmt.Errorf("%s %q: %w", t.Name(), key, ErrNotFound)
	}
	return fn(row)
}

// FetchAll scans a prefix and maps its rows. Rows that fn refuses are skipped.
func FetchAll[T any](ctx context.Context, t *Table, prefix string, fn RowFunc[T], opts ...ReadOpt) ([]T, error) {
	var out []T
	err := t.Prefix(ctx, prefix, func(r bigtable.Row) bool {
		if v, err := fn(r); err == nil {
			out = append(out, v)
		}
		return true
	}, opts...)
	return out, err
}

// Repo is a table of one kind of value.
type Repo[T any] struct {
	tbl    *Table
	mapper Mapper[T]
	opts   []ReadOpt
}

// NewRepo makes a repo. The options go with every read.
func NewRepo[T any](tbl *Table, m Mapper[T], opts ...ReadOpt) *Repo[T] {
	return &Repo[T]{tbl: tbl, mapper: m, opts: opts}
}

// Find reads one value.
func (r *Repo[T]) Find(ctx context.Context, key string) (T, error) {
	return Fetch(ctx, r.tbl, key, r.mapper.FromRow, r.opts...)
}

// List reads the values of a prefix.
func (r *Repo[T]) List(ctx context.Context, prefix string) ([]T, error) {
	return FetchAll(ctx, r.tbl, prefix, r.mapper.FromRow, r.opts...)
}

// Save writes a value.
func (r *Repo[T]) Save(ctx context.Context, key string, v T) error {
	cells, err := r.mapper.Cells(v)
	if err != nil {
		return err
	}
	return r.tbl.Write(ctx, key, cells...)
}
