// Package kv is a small key-value layer for the services that do not need more.
package kv

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/northgate/identity/internal/platform/bt"
)

// Retention decides how cells are stamped and which are read.
type Retention interface {
	Stamp(now time.Time) bigtable.Timestamp
	Filter(now time.Time) bigtable.Filter
}

// Until keeps values for TTL, stamped with their expiry.
type Until struct{ TTL time.Duration }

// Stamp implements Retention.
func (u Until) Stamp(now time.Time) bigtable.Timestamp { return bigtable.Time(now.Add(u.TTL)) }

// Filter implements Retention.
func (u Until) Filter(now time.Time) bigtable.Filter {
	return bigtable.TimestampRangeFilter(now, time.Time{})
}

// Usual keeps values for the family's own TTL.
type Usual struct{ TTL time.Duration }

// Stamp implements Retention.
func (Usual) Stamp(now time.Time) bigtable.Timestamp { return bigtable.Time(now) }

// Filter implements Retention.
func (u Usual) Filter(now time.Time) bigtable.Filter {
	return bigtable.TimestampRangeFilter(now.Add(-u.TTL), time.Time{})
}

// Single keeps one value, overwritten in place.
type Single struct{}

// Stamp implements Retention.
func (Single) Stamp(time.Time) bigtable.Timestamp { return 0 }

// Filter implements Retention.
func (Single) Filter(time.Time) bigtable.Filter { return bigtable.PassAllFilter() }

// Newest keeps what the policy keeps and reads the newest.
type Newest struct{}

// Stamp implements Retention.
func (Newest) Stamp(now time.Time) bigtable.Timestamp { return bigtable.Time(now) }

// Filter implements Retention.
func (Newest) Filter(time.Time) bigtable.Filter { return bigtable.LatestNFilter(1) }

// Space is a family of a table, used as a key-value store.
type Space struct {
	tbl    bt.Table
	family string
	keep   Retention
}

// NewSpace makes a Space.
func NewSpace[F ~string](tbl bt.Table, family F, keep Retention) *Space {
	return &Space{tbl: tbl, family: string(family), keep: keep}
}

// Put stores a value.
func (s *Space) Put(ctx context.Context, key, name string, value []byte) error {
	m := bigtable.NewMutation()
	m.Set(s.family, name, s.keep.Stamp(time.Now()), value)
	return s.tbl.Apply(ctx, key, m)
}

// PutAt stores a value with a timestamp that the caller knows better.
func (s *Space) PutAt(ctx context.Context, key, name string, ts bigtable.Timestamp, value []byte) error {
	m := bigtable.NewMutation()
	m.Set(s.family, name, ts, value)
	return s.tbl.Apply(ctx, key, m)
}

// Get reads a value.
func (s *Space) Get(ctx context.Context, key, name string) ([]byte, error) {
	row, err := s.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(s.family), bigtable.ColumnFilter(name), s.keep.Filter(time.Now()))))
	if err != nil {
		return nil, err
	}
	it, ok := bt.First(row, s.family, name)
	if !ok {
		return nil, bt.ErrNotFound
	}
	return it.Value, nil
}

// Fetch reads a row of any table with the options given, for callers that
// bring their own filter.
func Fetch(ctx context.Context, tbl bt.Reader, key string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	row, err := tbl.ReadRow(ctx, key, opts...) // ok ttlread/missing-filter
	if err == nil && len(row) == 0 {
		err = bt.ErrNotFound
	}
	return row, err
}

// Write is one cell that Store writes.
type Write[F ~string] struct {
	Family F
	Name   string
	At     bigtable.Timestamp
	Value  []byte
}

// Store writes cells of a row at once.
func Store[F ~string](ctx context.Context, tbl bt.Applier, key string, cells ...Write[F]) error {
	m := bigtable.NewMutation()
	for _, c := range cells {
		m.Set(string(c.Family), c.Name, c.At, c.Value)
	}
	return tbl.Apply(ctx, key, m)
}
