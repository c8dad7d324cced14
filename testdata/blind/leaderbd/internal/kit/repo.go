package kit

import (
	"context"
	"fmt"

	"cloud.google.com/go/bigtable"
)

// Repo keeps values of one type in one column.
type Repo[T any] struct {
	tbl    Table
	family string
	column string
	codec  Codec[T]
	stamp  func() bigtable.Timestamp
	filter func() bigtable.Filter
	fresh  bool
}

// RepoOpt configures a Repo.
type RepoOpt[T any] func(*Repo[T])

// StampedBy chooses the timestamps that Put writes; the clock's otherwise.
func StampedBy[T any](f func() bigtable.Timestamp) RepoOpt[T] {
	return func(r *Repo[T]) { r.stamp = f }
}

// ReadThrough chooses the filter that Get and All read through.
func ReadThrough[T any](f func() bigtable.Filter) RepoOpt[T] {
	return func(r *Repo[T]) { r.filter = f }
}

// Replacing makes Put delete the column first.
func Replacing[T any]() RepoOpt[T] {
	return func(r *Repo[T]) { r.fresh = true }
}

// NewRepo is a repo for one column of a table.
func NewRepo[T any](tbl Table, family, column string, c Codec[T], opts ...RepoOpt[T]) *Repo[T] {
	r := &Repo[T]{tbl: tbl, family: family, column: column, codec: c, stamp: bigtable.Now}
	for _, o := range opts {
		o(r)
	}
	return r
}

func (r *Repo[T]) readOptions() []bigtable.ReadOption {
	f := bigtable.FamilyFilter(r.family)
	if r.filter != nil {
		f = bigtable.ChainFilters(f, r.filter())
	}
	return []bigtable.ReadOption{bigtable.RowFilter(f)}
}

// Put stores v.
func (r *Repo[T]) Put(ctx context.Context, key string, v T) error {
	b, err := r.codec.Encode(v)
	if err != nil {
		return fmt.Errorf("encode %s:%s: %w", r.family, r.column, err)
	}
	m := bigtable.NewMutation()
	if r.fresh {
		m.DeleteCellsInColumn(r.family, r.column)
	}
	m.Set(r.family, r.column, r.stamp(), b)
	return r.tbl.Apply(ctx, key, m)
}

// Get loads the value of key.
func (r *Repo[T]) Get(ctx context.Context, key string) (Option[T], error) {
	row, err := r.tbl.ReadRow(ctx, key, r.readOptions()...)
	if err != nil {
		return None[T](), err
	}
	it, ok := Cell(row, r.family, r.column).Get()
	if !ok {
		return None[T](), nil
	}
	v, err := r.codec.Decode(it.Value)
	if err != nil {
		return None[T](), fmt.Errorf("decode %s:%s of %q: %w", r.family, r.column, key, err)
	}
	return Some(v), nil
}

// Forget deletes the value of key.
func (r *Repo[T]) Forget(ctx context.Context, key string) error {
	return Change(ctx, r.tbl, key, Drop(r.family, r.column))
}
