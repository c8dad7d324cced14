package dal

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
)

// Putter is the smallest port for writing: the adapter knows the family and
// the timestamps.
type Putter interface {
	Put(ctx context.Context, key, column string, v any) error
}

// Lives writes values that live for a while.
type Lives struct {
	W      Writer
	Family string
	Life   time.Duration
	Clock  Clock
}

// Put implements Putter.
func (l Lives) Put(ctx context.Context, key, column string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(l.Family, column) // ok ttlwrite/delete-after-set
	m.Set(l.Family, column, ExpiresIn(l.Clock, l.Life), b)
	return l.W.Apply(ctx, key, m)
}

// Stays writes ordinary values.
type Stays struct {
	W      Writer
	Family string
}

// Put implements Putter.
func (s Stays) Put(ctx context.Context, key, column string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(s.Family, column, bigtable.ServerTime, b)
	return s.W.Apply(ctx, key, m)
}

// Counts writes values under numbers.
type Counts struct {
	W      Writer
	Family string
	Next   func() int64
}

// Put implements Putter.
func (c Counts) Put(ctx context.Context, key, column string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(c.Family, column, bigtable.Timestamp(c.Next()), b)
	return c.W.Apply(ctx, key, m)
}

// LoggedPutter is a decorator.
type LoggedPutter struct {
	Putter
	Log Logger
}

// Put implements Putter.
func (l LoggedPutter) Put(ctx context.Context, key, column string, v any) error {
	err := l.Putter.Put(ctx, key, column, v)
	if err != nil {
		l.Log.Error("put", "key", key, "column", column, "err", err)
	}
	return err
}

// Getter is the smallest port for reading.
type Getter[T any] struct {
	tbl    Reader
	family string
	filter func() bigtable.Filter
	extra  []bigtable.ReadOption
}

// GetterOption changes a Getter.
type GetterOption func(*getterConfig)

type getterConfig struct {
	filter func() bigtable.Filter
	extra  []bigtable.ReadOption
}

// Bounded makes a Getter read what f passes at the time of the read.
func Bounded(f func() bigtable.Filter) GetterOption {
	return func(c *getterConfig) { c.filter = f }
}

// Limited limits the rows of a Getter.
func Limited(n int64) GetterOption {
	return func(c *getterConfig) { c.extra = append(c.extra, bigtable.LimitRows(n)) }
}

// NewGetter returns a Getter of a family.
func NewGetter[T any](tbl Reader, family string, opts ...GetterOption) *Getter[T] {
	var c getterConfig
	for _, o := range opts {
		o(&c)
	}
	return &Getter[T]{tbl: tbl, family: family, filter: c.filter, extra: c.extra}
}

// Get reads the newest value of a column.
func (g *Getter[T]) Get(ctx context.Context, key, column string) (v T, err error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(g.family), bigtable.ColumnFilter(column))
	if g.filter != nil {
		f = bigtable.ChainFilters(f, g.filter())
	}
	row, err := g.tbl.ReadRow(ctx, key, append(g.extra, bigtable.RowFilter(f))...)
	if err != nil {
		return v, fmt.Errorf("get %s: %w", key, err)
	}
	for _, it := range row[g.family] {
		return v, json.Unmarshal(it.Value, &v)
	}
	return v, ErrNotFound
}

// Must is for values that have a default.
func Must[T any](v T, err error) func(def T) T {
	return func(def T) T {
		if err != nil {
			return def
		}
		return v
	}
}
