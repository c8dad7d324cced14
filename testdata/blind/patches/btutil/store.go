// Package btutil is the second Bigtable helper (2020). Deprecated in favour of dbx, which is not finished.
package btutil

import (
	"context"
	"fmt"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"
)

// Store is one family of one table.
type Store struct {
	tbl *bigtable.Table
	fam string
}

// New returns a store that stamps cells with the time of the write.
func New(c *bigtable.Client, table, fam string) *Store {
	return &Store{tbl: c.Open(table), fam: fam}
}

// Write stamps with the time of the write.
func (s *Store) Write(ctx context.Context, key, col string, v []byte) error {
	m := bigtable.NewMutation()
	m.Set(s.fam, col, bigtable.Now(), v)
	return s.tbl.Apply(ctx, key, m)
}

// TTLStore is Store for one-second families (2021, by the ads team).
type TTLStore struct {
	mu  sync.Mutex
	tbl *bigtable.Table
	fam string
	ttl time.Duration
}

// NewTTL returns a store whose cells go after ttl.
func NewTTL(c *bigtable.Client, table, fam string, ttl time.Duration) *TTLStore {
	return &TTLStore{tbl: c.Open(table), fam: fam, ttl: ttl}
}

func (s *TTLStore) Write(ctx context.Context, key, col string, v []byte) error {
	m := bigtable.NewMutation()
	m.Set(s.fam, col, bigtable.Time(time.Now().Add(s.ttl)), v)
	return s.tbl.Apply(ctx, key, m)
}

// Find reads what is live.
func (s *TTLStore) Find(ctx context.Context, key string) ([]bigtable.ReadItem, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(s.fam), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	row, err := s.tbl.ReadRow(ctx, key, bigtable.RowFilter(f))
	if err != nil {
		return nil, fmt.Errorf("btutil: %s: %w", key, err)
	}
	return row[s.fam], nil
}

// Mut collects sets; the third generation of this type.
type Mut struct {
	m *bigtable.Mutation
	n int
}

func NewMut() *Mut { return &Mut{m: bigtable.NewMutation()} }

// Put sets a cell at ts.
func (m *Mut) Put(fam, col string, ts bigtable.Timestamp, v string) *Mut {
	m.m.Set(fam, col, ts, []byte(v))
	m.n++
	return m
}

// Apply writes it.
func (m *Mut) Apply(ctx context.Context, tbl *bigtable.Table, key string) error {
	if m.n == 0 {
		return nil
	}
	return tbl.Apply(ctx, key, m.m)
}

// ReadOpts of Read. Fields were added as needed.
type ReadOpts struct {
	Fam      string
	Since    time.Time
	Versions int
}

// Read reads one family as o says.
func Read(ctx context.Context, tbl *bigtable.Table, key string, o ReadOpts) (bigtable.Row, error) {
	fs := []bigtable.Filter{bigtable.FamilyFilter(o.Fam), bigtable.TimestampRangeFilter(o.Since, time.Time{})}
	return tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(fs...)))
}

// LatestOf reads n versions of a family.
func LatestOf(ctx context.Context, tbl *bigtable.Table, key, fam string, n int) (bigtable.Row, error) {
	return tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(fam), bigtable.LatestNFilter(n))))
}

// Clock for tests. TODO: use it.
type Clock interface{ Now() time.Time }

// SysClock is the real one.
type SysClock struct{}

func (SysClock) Now() time.Time { return time.Now() }
