// Package btrepo is a generic repository over Bigtable.
package btrepo

import (
	"context"
	"errors"
	"iter"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/grpc/clock"
)

// ErrNotFound is returned where there is no row.
var ErrNotFound = errors.New("not found")

// RowReader reads.
type RowReader interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
	ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error
}

// Applier writes.
type Applier interface {
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
}

// Table is both.
type Table interface {
	RowReader
	Applier
}

// Codec turns entities into bytes.
type Codec[T any] interface {
	Encode(T) ([]byte, error)
	Decode([]byte) (T, error)
}

// Stamper gives the timestamp of a write.
type Stamper interface{ Stamp() bigtable.Timestamp }

// StampFunc is a Stamper.
type StampFunc func() bigtable.Timestamp

// Stamp implements Stamper.
func (f StampFunc) Stamp() bigtable.Timestamp { return f() }

// Expire stamps with the time of expiry.
func Expire(c clock.Clock, ttl time.Duration) Stamper {
	return StampFunc(func() bigtable.Timestamp { return bigtable.Time(c.Now().Add(ttl)) })
}

// Written stamps with the current time.
func Written(c clock.Clock) Stamper {
	return StampFunc(func() bigtable.Timestamp { return bigtable.Time(c.Now()) })
}

// Fixed stamps with zero.
func Fixed() Stamper { return StampFunc(func() bigtable.Timestamp { return 0 }) }

type options struct {
	family, column string
	stamp          Stamper
	filter         func() bigtable.Filter
	limit          int64
}

// Option configures a Repo.
type Option func(*options)

// WithFamily sets the family.
func WithFamily(f string) Option { return func(o *options) { o.family = f } }

// WithColumn sets the column.
func WithColumn(c string) Option { return func(o *options) { o.column = c } }

// WithStamper sets the Stamper.
func WithStamper(s Stamper) Option { return func(o *options) { o.stamp = s } }

// WithFilter sets what is read.
func WithFilter(f func() bigtable.Filter) Option { return func(o *options) { o.filter = f } }

// WithLimit limits scans.
func WithLimit(n int64) Option { return func(o *options) { o.limit = n } }

// Repo keeps entities.
type Repo[T any] struct {
	tbl   Table
	codec Codec[T]
	opts  options
}

// New returns a Repo.
func New[T any](tbl Table, codec Codec[T], opts ...Option) *Repo[T] {
	o := options{column: "v", limit: 100}
	for _, opt := range opts {
		opt(&o)
	}
	return &Repo[T]{tbl: tbl, codec: codec, opts: o}
}

// Save writes an entity.
func (r *Repo[T]) Save(ctx context.Context, key string, v T) error {
	b, err := r.codec.Encode(v)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(r.opts.family, r.opts.column, r.opts.stamp.Stamp(), b)
	return r.tbl.Apply(ctx, key, m)
}

// Get reads an entity.
func (r *Repo[T]) Get(ctx context.Context, key string) (v T, err error) {
	row, err := r.tbl.ReadRow(ctx, key, bigtable.RowFilter(r.read()))
	if err != nil {
		return v, err
	}
	for _, it := range row[r.opts.family] {
		return r.codec.Decode(it.Value)
	}
	return v, ErrNotFound
}

func (r *Repo[T]) read() bigtable.Filter {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(r.opts.family), bigtable.ColumnFilter(r.opts.column))
	if r.opts.filter == nil {
		return f
	}
	return bigtable.ChainFilters(f, r.opts.filter())
}

// All ranges over the entities with a prefix.
func (r *Repo[T]) All(ctx context.Context, prefix string) iter.Seq2[string, T] {
	return func(yield func(string, T) bool) {
		_ = r.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool {
			for _, it := range row[r.opts.family] {
				v, err := r.codec.Decode(it.Value)
				if err == nil && !yield(row.Key(), v) {
					return false
				}
			}
			return true
		}, bigtable.RowFilter(r.read()), bigtable.LimitRows(r.opts.limit))
	}
}

// Rows ranges over rows.
func Rows(ctx context.Context, tbl RowReader, prefix string, f bigtable.Filter) iter.Seq[bigtable.Row] {
	return func(yield func(bigtable.Row) bool) {
		_ = tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), yield, bigtable.RowFilter(f))
	}
}

// Live is a filter of what lives.
func Live(c clock.Clock) func() bigtable.Filter {
	return func() bigtable.Filter { return bigtable.TimestampRangeFilter(c.Now(), time.Time{}) }
}
