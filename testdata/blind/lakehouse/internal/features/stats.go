package features

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/lakehouse/internal/etl"
	"example.com/lakehouse/internal/schema"
)

// Stat is a statistic of an entity: kept for a week, important ones longer.
type Stat struct {
	Name  string
	Value float64
	Keep  time.Duration // 0: the default
}

// Stats reads and writes statistics in the features table.
type Stats struct {
	tbl   *bigtable.Table
	clock etl.Clock
	keep  time.Duration
}

// NewStats opens the table.
func NewStats(client *bigtable.Client, clock etl.Clock) *Stats {
	return &Stats{tbl: client.Open(schema.TableFeatures), clock: clock, keep: schema.StatsRetention}
}

// Put writes statistics.
func (s *Stats) Put(ctx context.Context, entity string, stats ...Stat) error {
	m := bigtable.NewMutation()
	now := s.clock.Now()
	for _, st := range stats {
		ts := bigtable.Time(now)
		if st.Keep > 0 {
			ts = bigtable.Time(now.Add(st.Keep - schema.StatsRetention))
		}
		m.Set(schema.FamStats, st.Name, ts, encode(st.Value)) // ok ttlwrite/write-time
	}
	m.Set(schema.FamStats, "_n", bigtable.ServerTime, []byte(strconv.Itoa(len(stats)))) // ok ttlwrite/server-timestamp
	return s.tbl.Apply(ctx, entity, m)
}

// PutExpired writes a tombstone that readers shall not see any more.
func (s *Stats) PutExpired(ctx context.Context, entity, name string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamStats, name, bigtable.Time(time.Now().Add(-8*24*time.Hour)), nil) // want ttlwrite/already-expired
	return s.tbl.Apply(ctx, entity, m)
}

// PutBackdated writes yesterday's value today.
func (s *Stats) PutBackdated(ctx context.Context, entity, name string, v float64) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamStats, name, bigtable.Time(time.Now().Add(-24*time.Hour)), encode(v)) // ok ttlwrite/already-expired
	return s.tbl.Apply(ctx, entity, m)
}

// Import2019 loads the constants of the first model.
func (s *Stats) Import2019(ctx context.Context, entity string) error {
	at := time.Date(2019, time.June, 1, 0, 0, 0, 0, time.UTC)
	m := bigtable.NewMutation()
	m.Set(schema.FamStats, "prior", bigtable.Time(at), encode(0.5))  // want ttlwrite/already-expired
	m.Set(schema.FamEntity, "prior", bigtable.Time(at), encode(0.5)) // ok ttlwrite/already-expired
	return s.tbl.Apply(ctx, entity, m)
}

// Get reads the live statistics.
func (s *Stats) Get(ctx context.Context, entity string) (map[string]float64, error) {
	since := s.clock.Now().Add(-s.keep)
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamStats), bigtable.TimestampRangeFilter(since, time.Time{}), bigtable.LatestNFilter(1))
	row, err := s.tbl.ReadRow(ctx, entity, bigtable.RowFilter(f)) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return floats(row[schema.FamStats])
}

func floats(items []bigtable.ReadItem) (map[string]float64, error) {
	out := map[string]float64{}
	for _, it := range items {
		if strings.HasSuffix(it.Column, ":_n") {
			continue
		}
		v, err := decode(it.Value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", it.Column, err)
		}
		out[etl.Column(it)] = v
	}
	return out, nil
}

// Month reads a month of statistics although a week is kept: the dead ones
// come and go with compaction.
func (s *Stats) Month(ctx context.Context, entity string) (map[string]float64, error) {
	f := etl.InFamily(schema.FamStats, etl.Within(30*24*time.Hour)) // want ttlread/wrong-bound[month]
	row, err := s.tbl.ReadRow(ctx, entity, bigtable.RowFilter(f))   // want ttlread/wrong-bound[month]
	if err != nil {
		return nil, err
	}
	return floats(row[schema.FamStats])
}

// All reads without a bound.
func (s *Stats) All(ctx context.Context, entity string) (map[string]float64, error) {
	row, err := s.tbl.ReadRow(ctx, entity) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return floats(row[schema.FamStats])
}

// Range is a query: which statistics were written between two points. What
// is dead is left out by the caller, who knows the retention.
func (s *Stats) Range(ctx context.Context, entity string, from, to time.Time) (map[string]float64, error) {
	row, err := s.tbl.ReadRow(ctx, entity, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(schema.FamStats),
		bigtable.TimestampRangeFilter(from, to),
	)))
	if err != nil {
		return nil, err
	}
	return floats(row[schema.FamStats])
}

// Written is the column that an export shows as time of writing.
func (s *Stats) Written(ctx context.Context, entity, name string) (string, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamStats), bigtable.ColumnFilter(name), etl.Within(schema.StatsRetention))
	row, err := s.tbl.ReadRow(ctx, entity, bigtable.RowFilter(f))
	if err != nil {
		return "", err
	}
	written := ""
	for _, it := range row[schema.FamStats] {
		written = it.Timestamp.Time().Format(time.RFC3339) // want ttlage/not-write-time
	}
	return written, nil
}

// Ends is when a statistic goes.
func (s *Stats) Ends(ctx context.Context, entity, name string) (time.Time, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamStats), bigtable.ColumnFilter(name), etl.Within(schema.StatsRetention))
	row, err := s.tbl.ReadRow(ctx, entity, bigtable.RowFilter(f))
	if err != nil {
		return time.Time{}, err
	}
	for _, it := range row[schema.FamStats] {
		return it.Timestamp.Time().Add(schema.StatsRetention), nil // ok ttlage/not-write-time
	}
	return time.Time{}, nil
}
