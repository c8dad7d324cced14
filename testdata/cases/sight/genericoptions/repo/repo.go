// Package repo keeps values of any type.
package repo

import (
	"context"
	"encoding/json"
	"time"

	"cloud.google.com/go/bigtable"
)

// A Table is what a Repo needs.
type Table interface {
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
}

// A Repo keeps a value per row.
type Repo[T any] struct {
	tbl    Table
	family string
	stamp  func(T) bigtable.Timestamp
	filter func() bigtable.Filter
}

// An Option configures a Repo.
type Option[T any] func(*Repo[T])

// Stamped sets how timestamps are made.
func Stamped[T any](f func(T) bigtable.Timestamp) Option[T] {
	return func(r *Repo[T]) { r.stamp = f }
}

// Filtered sets what reads are filtered with.
func Filtered[T any](f func() bigtable.Filter) Option[T] {
	return func(r *Repo[T]) { r.filter = f }
}

// New makes a Repo.
func New[T any](tbl Table, family string, opts ...Option[T]) *Repo[T] {
	r := &Repo[T]{
		tbl: tbl, family: family,
		stamp:  func(T) bigtable.Timestamp { return bigtable.Now() },
		filter: func() bigtable.Filter { return bigtable.LatestNFilter(1) },
	}
	for _, o := range opts {
		o(r)
	}
	return r
}

// Live passes what lives.
func Live() bigtable.Filter { return bigtable.TimestampRangeFilter(time.Now(), time.Time{}) }

// Get reads.
func (r *Repo[T]) Get(ctx context.Context, key string) (v T, err error) {
	row, err := r.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(r.family), r.filter())))
	if err != nil {
		return v, err
	}
	for _, it := range row[r.family] {
		return v, json.Unmarshal(it.Value, &v)
	}
	return v, nil
}

// Put writes.
func (r *Repo[T]) Put(ctx context.Context, key string, v T) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(r.family, "v", r.stamp(v), b)
	return r.tbl.Apply(ctx, key, m)
}
