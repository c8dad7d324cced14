// Package lib writes by what it is given: lifetimes, times, seconds, timestamps.
package lib

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// A Store is a table.
type Store struct{ tbl *bigtable.Table }

// New makes a Store.
func New(tbl *bigtable.Table) *Store { return &Store{tbl} }

// Put writes what lives for ttl.
func (s *Store) Put(ctx context.Context, family, key string, ttl time.Duration) error {
	return s.PutAt(ctx, family, key, time.Now().Add(ttl))
}

// PutSeconds writes what lives until a second.
func (s *Store) PutSeconds(ctx context.Context, family, key string, seconds int64) error {
	return s.PutAt(ctx, family, key, time.Unix(seconds, 0))
}

// PutAt writes what lives until at.
func (s *Store) PutAt(ctx context.Context, family, key string, at time.Time) error {
	return s.PutStamp(ctx, family, key, bigtable.Time(at))
}

// PutStamp writes with a timestamp.
func (s *Store) PutStamp(ctx context.Context, family, key string, ts bigtable.Timestamp) error {
	mut := bigtable.NewMutation()
	mut.Set(family, "v", ts, nil)
	return s.tbl.Apply(ctx, key, mut)
}

// PutNow writes what is of now.
func (s *Store) PutNow(ctx context.Context, family, key string) error {
	return s.PutStamp(ctx, family, key, bigtable.Now())
}

// PutFor writes what lives for so many seconds.
func (s *Store) PutFor(ctx context.Context, family, key string, seconds int) error {
	return s.PutAt(ctx, family, key, time.Now().Add(time.Duration(seconds)*time.Second))
}

// Recent reads what a family got in the last hour.
func (s *Store) Recent(ctx context.Context, key, family string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(family), bigtable.TimestampRangeFilter(time.Now().Add(-time.Hour), time.Time{}))))
}

// Load reads the families that it is given.
func (s *Store) Load(ctx context.Context, key, family string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter(family)))
}

// Filtered reads what a filter lets pass.
func (s *Store) Filtered(ctx context.Context, key string, f bigtable.Filter) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, key, bigtable.RowFilter(f))
}

// A Clocked is a table with a clock.
type Clocked struct {
	tbl *bigtable.Table
	now func() time.Time
}

// NewClocked makes a Clocked.
func NewClocked(tbl *bigtable.Table, now func() time.Time) *Clocked { return &Clocked{tbl, now} }

// Touch writes at the server's time.
func (s *Clocked) Touch(ctx context.Context, family, key string) error {
	return New(s.tbl).PutStamp(ctx, family, key, bigtable.ServerTime)
}

// Keep writes what lives for so many seconds; 0 is for ever.
func (s *Clocked) Keep(ctx context.Context, family, key string, seconds int) error {
	if seconds == 0 {
		return s.Touch(ctx, family, key)
	}
	return New(s.tbl).PutStamp(ctx, family, key, bigtable.Time(s.now().Add(time.Duration(seconds)*time.Second)))
}
