package bt

import (
	"context"
	"fmt"
	"iter"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/depot/internal/names"
)

// Codec turns values into bytes and back.
type Codec[V any] struct {
	Encode func(V) []byte
	Decode func([]byte) (V, error)
}

// Repo keeps one value in each row, in a column of one family.
type Repo[K ~string, V any] struct {
	table  Table
	family names.Family
	column string
	codec  Codec[V]
	live   func(now time.Time) bigtable.Filter
	stamp  func(now time.Time) bigtable.Timestamp
}

// RepoConfig is what a Repo has to know.
type RepoConfig struct {
	Family names.Family
	Column string
	Live   func(now time.Time) bigtable.Filter
	Stamp  func(now time.Time) bigtable.Timestamp
}

// NewRepo makes a repo.
func NewRepo[K ~string, V any](t Table, codec Codec[V], cfg RepoConfig) *Repo[K, V] {
	return &Repo[K, V]{table: t, family: cfg.Family, column: cfg.Column, codec: codec, live: cfg.Live, stamp: cfg.Stamp}
}

// Get reads the value of a row.
func (r *Repo[K, V]) Get(ctx context.Context, key K) (V, error) {
	var zero V
	filter := ColumnOf(r.family, r.column)
	row, err := One(ctx, r.table, string(key), With(filter, r.live(Now(ctx))))
	if err != nil {
		return zero, err
	}
	v, ok := Value(row, r.family, r.column)
	if !ok {
		return zero, fmt.Errorf("%s: %w", string(key), ErrNoRow)
	}
	return r.codec.Decode(v)
}

// Put writes the value of a row.
func (r *Repo[K, V]) Put(ctx context.Context, key K, v V) error {
	m := bigtable.NewMutation()
	m.Set(string(r.family), r.column, r.stamp(Now(ctx)), r.codec.Encode(v))
	return r.table.Apply(ctx, string(key), m)
}

// Delete removes the value of a row.
func (r *Repo[K, V]) Delete(ctx context.Context, key K) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(string(r.family), r.column)
	return r.table.Apply(ctx, string(key), m)
}

// All yields the values of the rows with a prefix.
func (r *Repo[K, V]) All(ctx context.Context, prefix K) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		opt := With(ColumnOf(r.family, r.column), r.live(Now(ctx)))
		for row, err := range Rows(ctx, r.table, bigtable.PrefixRange(string(prefix)), opt) {
			if err != nil {
				return
			}
			raw, ok := Value(row, r.family, r.column)
			if !ok {
				continue
			}
			if v, err := r.codec.Decode(raw); err == nil && !yield(K(row.Key()), v) {
				return
			}
		}
	}
}

// ColumnOf lets through one column.
func ColumnOf(f names.Family, column string) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(string(f)), bigtable.ColumnFilter(column))
}
