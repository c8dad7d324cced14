// Package connector fills tables that customers name in their settings.
package connector

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/beacon/internal/config"
)

// Sink writes what a customer's connector sends.
type Sink struct {
	table  *bigtable.Table
	family string
	ttl    time.Duration
}

// New returns a sink, or nil where the customer has none.
func New(c *bigtable.Client, x config.Extra) *Sink {
	if x.Table == "" || x.Family == "" {
		return nil
	}
	return &Sink{table: c.Open(x.Table), family: x.Family, ttl: time.Duration(x.TTL)}
}

// Write stores a record. What the family means is the customer's business.
func (s *Sink) Write(ctx context.Context, key string, rec map[string][]byte) error {
	ts := bigtable.ServerTime
	if s.ttl > 0 {
		ts = bigtable.Time(time.Now().Add(s.ttl))
	}
	mut := bigtable.NewMutation()
	for col, v := range rec {
		mut.Set(s.family, col, ts, v) // ok ttlwrite/server-timestamp
	}
	mut.Set(s.family, "_written", bigtable.Now(), nil) // ok ttlwrite/write-time
	return s.table.Apply(ctx, key, mut)
}

// Read reads a record.
func (s *Sink) Read(ctx context.Context, key string) (map[string][]byte, error) {
	row, err := s.table.ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter(s.family))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	for _, it := range row[s.family] {
		out[it.Column] = it.Value
	}
	return out, nil
}

// Age says how old a record is.
func (s *Sink) Age(ctx context.Context, key string) (time.Duration, error) {
	row, err := s.table.ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter(s.family)), bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/overridden-filter
	if err != nil {
		return 0, err
	}
	for _, it := range row[s.family] {
		return time.Since(it.Timestamp.Time()), nil // ok ttlage/not-write-time
	}
	return 0, fmt.Errorf("no record %s", key)
}

// Window reads the records of a time; three ways to get bounds wrong, each of them real.
func (s *Sink) Window(ctx context.Context, key string) (n int, err error) {
	day := time.Date(2025, 6, 1, 0, 0, 0, 0, time.UTC)
	filters := []bigtable.Filter{
		bigtable.TimestampRangeFilter(day, day.AddDate(0, 0, 1)), // ok ttlunit/empty-range
		bigtable.TimestampRangeFilterMicros(2000, 1000),          // want ttlunit/empty-range
		bigtable.TimestampRangeFilterMicros(1000, 1000),          // want ttlunit/empty-range
		bigtable.TimestampRangeFilterMicros(0, 500),              // want ttlunit/sub-millisecond
		bigtable.TimestampRangeFilterMicros(1000, 0),             // ok ttlunit/empty-range
		bigtable.TimestampRangeFilterMicros(1000, 5000),          // ok ttlunit/sub-millisecond
		bigtable.LatestNFilter(0),                                // want ttlunit/invalid-filter
		bigtable.LatestNFilter(1),                                // ok ttlunit/invalid-filter
	}
	for _, f := range filters {
		row, err := s.table.ReadRow(ctx, key, bigtable.RowFilter(f))
		if err != nil {
			return 0, err
		}
		n += len(row[s.family])
	}
	return n, nil
}

// Columns reads some columns.
func (s *Sink) Columns(ctx context.Context, key string, cols []string) (bigtable.Row, error) {
	var branches []bigtable.Filter
	for _, c := range cols {
		branches = append(branches, bigtable.ColumnFilter(c))
	}
	if len(branches) == 1 {
		return s.table.ReadRow(ctx, key, bigtable.RowFilter(branches[0]))
	}
	return s.table.ReadRow(ctx, key, bigtable.RowFilter(bigtable.InterleaveFilters(branches...))) // ok ttlunit/invalid-filter
}

// Column reads one column in a chain that is none.
func (s *Sink) Column(ctx context.Context, key, col string) (bigtable.Row, error) {
	return s.table.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.ColumnFilter(col)))) // want ttlunit/invalid-filter
}

// Stamp is what a record is dated with, when it has no date.
func Stamp(at time.Time) bigtable.Timestamp {
	if at.IsZero() {
		return bigtable.Time(time.Unix(0, 0)) // ok ttlunit/out-of-range
	}
	return bigtable.Time(at) // ok ttlunit/out-of-range
}

// Forever is the end of all records that have none.
func (s *Sink) Forever(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	mut.Set(s.family, "end", bigtable.Time(time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)), nil) // want ttlunit/out-of-range
	mut.Set(s.family, "far", bigtable.Time(time.Date(2200, 12, 31, 0, 0, 0, 0, time.UTC)), nil) // ok ttlunit/out-of-range
	mut.Set(s.family, "none", bigtable.Time(time.Time{}), nil)                                  // want ttlunit/out-of-range
	mut.Set(s.family, "late", bigtable.Now()+bigtable.Timestamp(time.Hour), nil)                // want ttlunit/wrong-unit
	mut.Set(s.family, "soon", bigtable.Now()+bigtable.Timestamp(time.Hour.Microseconds()), nil) // ok ttlunit/wrong-unit
	mut.Set(s.family, "hour", bigtable.Timestamp(time.Hour/time.Microsecond), nil)              // ok ttlunit/wrong-unit
	mut.Set(s.family, "raw", bigtable.Timestamp(s.ttl), nil)                                    // want ttlunit/wrong-unit
	mut.Set(s.family, "cut", bigtable.Timestamp(1_234_567), nil)                                // want ttlunit/sub-millisecond
	mut.Set(s.family, "whole", bigtable.Timestamp(1_234_000), nil)                              // ok ttlunit/sub-millisecond
	return s.table.Apply(ctx, key, mut)
}

// Policies are what customers can choose from.
var Policies = map[string]bigtable.GCPolicy{
	"month":   bigtable.MaxAgePolicy(30 * 24 * time.Hour),                                                      // ok ttlgc/age-mismatch
	"quarter": bigtable.MaxAgePolicy(7776000),                                                                  // want ttlunit/age-unit
	"week":    bigtable.MaxAgePolicy(7 * 24 * 60 * 60),                                                         // want ttlunit/age-unit
	"last":    bigtable.MaxVersionsPolicy(1),                                                                   // ok ttlgc/policy-mismatch
	"minute":  bigtable.MaxAgePolicy(60 * time.Second),                                                         // ok ttlunit/age-unit
	"never":   bigtable.MaxAgePolicy(-time.Hour),                                                               // want ttlunit/age-unit
	"both":    bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(3), bigtable.MaxAgeGCPolicy(86400*time.Second)), // ok ttlunit/age-unit
}
