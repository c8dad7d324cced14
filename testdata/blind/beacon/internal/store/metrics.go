package store

import (
	"context"
	"encoding/binary"
	"math"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/beacon/internal/clock"
	"example.com/beacon/internal/keys"
	"example.com/beacon/internal/layout"
)

// Sample is a point of a series.
type Sample struct {
	Name   string            `json:"name"`
	Labels map[string]string `json:"labels"`
	At     time.Time         `json:"at"`
	Value  float64           `json:"value"`
}

// MetricStore keeps one tenant's time series.
type MetricStore struct {
	tbl bigtable.TableAPI
	lay layout.Metrics
}

// NewMetricStore returns a store on the tenant's table.
func NewMetricStore(tbl bigtable.TableAPI, lay layout.Metrics) *MetricStore {
	return &MetricStore{tbl: tbl, lay: lay.WithDefaults()}
}

func (m *MetricStore) within() bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Now().Add(-m.lay.Keep), time.Time{})
}

// Write stores samples, and the last value of each series.
func (m *MetricStore) Write(ctx context.Context, samples []Sample) error {
	for _, s := range samples {
		v := encode(s.Value)
		mut := bigtable.NewMutation()
		mut.Set(m.lay.Point, "v", bigtable.Time(s.At), v)                                   // ok ttlwrite/already-expired
		mut.Set(m.lay.Latest, "v", 0, v)                                                    // ok ttlwrite/clock-in-zero
		mut.Set(m.lay.Latest, "at", bigtable.Time(s.At), []byte(s.At.Format(time.RFC3339))) // maybe ttlwrite/clock-in-zero
		if err := m.tbl.Apply(ctx, keys.Series(s.Name, s.Labels, s.At), mut); err != nil {
			return err
		}
	}
	return nil
}

// WriteNow stores a sample that was taken just now.
func (m *MetricStore) WriteNow(ctx context.Context, s Sample) error {
	now := bigtable.Now()
	mut := bigtable.NewMutation()
	mut.Set(m.lay.Point, "v", now, encode(s.Value))                                // ok ttlwrite/write-time
	mut.Set(m.lay.Latest, "v", now, encode(s.Value))                               // want ttlwrite/clock-in-zero
	mut.Set(m.lay.Rollup, "max", now, encode(s.Value))                             // ok ttlwrite/write-time
	mut.Set(m.lay.Point, "hot", clock.Backdated(time.Hour, m.lay.Keep), []byte{1}) // ok ttlwrite/already-expired
	return m.tbl.Apply(ctx, keys.Series(s.Name, s.Labels, s.At), mut)
}

// Correct replaces a wrong value.
func (m *MetricStore) Correct(ctx context.Context, s Sample) error {
	mut := bigtable.NewMutation()
	mut.Set(m.lay.Latest, "v", bigtable.ServerTime, encode(s.Value)) // want ttlwrite/clock-in-zero
	mut.Set(m.lay.Point, "v", bigtable.ServerTime, encode(s.Value))  // ok ttlwrite/server-timestamp
	return m.tbl.Apply(ctx, keys.Series(s.Name, s.Labels, s.At), mut)
}

// Count adds to a counter of the latest values.
func (m *MetricStore) Count(ctx context.Context, key, col string, by int64) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(m.lay.Latest, col, by) // want ttlwrite/read-modify-write
	_, err := m.tbl.ApplyReadModifyWrite(ctx, key, rmw)
	return err
}

// CountRollup adds to a counter of the roll-ups.
func (m *MetricStore) CountRollup(ctx context.Context, key, col string, by int64) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(m.lay.Rollup, col, by) // ok ttlwrite/read-modify-write
	_, err := m.tbl.ApplyReadModifyWrite(ctx, key, rmw)
	return err
}

// Latest reads the last value of a series.
func (m *MetricStore) Latest(ctx context.Context, key string) (float64, error) {
	row, err := m.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter(m.lay.Latest))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, it := range row[m.lay.Latest] {
		return decode(it.Value), nil
	}
	return 0, ErrNotFound
}

// Points reads a series.
func (m *MetricStore) Points(ctx context.Context, key string) ([]float64, error) {
	filter := bigtable.ChainFilters(bigtable.FamilyFilter(m.lay.Point), bigtable.ColumnFilter("v"), m.within())
	row, err := m.tbl.ReadRow(ctx, key, bigtable.RowFilter(filter)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return values(row[m.lay.Point]), nil
}

// Span reads a part of a series, as the chart asks for it.
func (m *MetricStore) Span(ctx context.Context, key string, from, to time.Time) ([]float64, error) {
	oldest := time.Now().Add(-m.lay.Keep)
	if from.Before(oldest) {
		from = oldest
	}
	row, err := m.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(m.lay.Point), bigtable.TimestampRangeFilter(from, to)))) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return values(row[m.lay.Point]), nil
}

// Everything reads a series without a bound.
func (m *MetricStore) Everything(ctx context.Context, key string) ([]float64, error) {
	row, err := m.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ColumnFilter("v"))) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return values(row[m.lay.Point]), nil
}

// Ancient reads what is older than the retention.
func (m *MetricStore) Ancient(ctx context.Context, key string) ([]float64, error) {
	row, err := m.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(m.lay.Point), bigtable.TimestampRangeFilter(time.Time{}, time.Now().Add(-m.lay.Keep))))) // want ttlread/expired-only
	if err != nil {
		return nil, err
	}
	return values(row[m.lay.Point]), nil
}

// Rollups reads the roll-ups of a series.
func (m *MetricStore) Rollups(ctx context.Context, key string) ([]float64, error) {
	row, err := m.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter(m.lay.Rollup))) // ok ttlread/missing-filter // strict ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return values(row[m.lay.Rollup]), nil
}

// Both reads points and roll-ups; the points' branch has no bound.
func (m *MetricStore) Both(ctx context.Context, key string) (points, rollups []float64, err error) {
	filter := bigtable.InterleaveFilters(
		bigtable.FamilyFilter(m.lay.Point),                                                    // want ttlread/unfiltered-branch[both]
		bigtable.ChainFilters(bigtable.FamilyFilter(m.lay.Rollup), bigtable.LatestNFilter(1)), // ok ttlread/unfiltered-branch
	)
	row, err := m.tbl.ReadRow(ctx, key, bigtable.RowFilter(filter)) // want ttlread/unfiltered-branch[both]
	if err != nil {
		return nil, nil, err
	}
	return values(row[m.lay.Point]), values(row[m.lay.Rollup]), nil
}

// BothLive does it right.
func (m *MetricStore) BothLive(ctx context.Context, key string) (points, rollups []float64, err error) {
	filter := bigtable.InterleaveFilters(
		bigtable.ChainFilters(bigtable.FamilyFilter(m.lay.Point), m.within()),                 // ok ttlread/unfiltered-branch
		bigtable.ChainFilters(bigtable.FamilyFilter(m.lay.Rollup), bigtable.LatestNFilter(1)), // ok ttlread/unfiltered-branch
	)
	row, err := m.tbl.ReadRow(ctx, key, bigtable.RowFilter(filter)) // ok ttlread/missing-filter
	if err != nil {
		return nil, nil, err
	}
	return values(row[m.lay.Point]), values(row[m.lay.Rollup]), nil
}

// IfHot reads points where the row has a hot cell that lives.
func (m *MetricStore) IfHot(ctx context.Context, key string) ([]float64, error) {
	hot := bigtable.ChainFilters(bigtable.FamilyFilter(m.lay.Point), bigtable.ColumnFilter("hot"), m.within())
	cond := bigtable.ConditionFilter(hot, bigtable.FamilyFilter(m.lay.Point), bigtable.BlockAllFilter()) // want ttlread/unfiltered-branch[ifhot]
	row, err := m.tbl.ReadRow(ctx, key, bigtable.RowFilter(cond))                                        // want ttlread/unfiltered-branch[ifhot]
	if err != nil {
		return nil, err
	}
	return values(row[m.lay.Point]), nil
}

// IfHotLive does it right.
func (m *MetricStore) IfHotLive(ctx context.Context, key string) ([]float64, error) {
	hot := bigtable.ChainFilters(bigtable.FamilyFilter(m.lay.Point), bigtable.ColumnFilter("hot"), m.within())
	live := bigtable.ChainFilters(bigtable.FamilyFilter(m.lay.Point), m.within())
	row, err := m.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ConditionFilter(hot, live, bigtable.BlockAllFilter()))) // ok ttlread/unfiltered-branch
	if err != nil {
		return nil, err
	}
	return values(row[m.lay.Point]), nil
}

// LastSeen says when a series was last written to.
func (m *MetricStore) LastSeen(ctx context.Context, key string) (time.Duration, error) {
	row, err := m.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(m.within(), bigtable.LatestNFilter(1)))) // want ttlread/hides-other-families
	if err != nil {
		return 0, err
	}
	for _, it := range row[m.lay.Point] {
		return time.Since(it.Timestamp.Time()), nil // want ttlage/not-write-time
	}
	for _, it := range row[m.lay.Latest] {
		return time.Since(it.Timestamp.Time()), nil // want ttlage/not-write-time
	}
	for _, it := range row[m.lay.Rollup] {
		return time.Since(it.Timestamp.Time()), nil // ok ttlage/not-write-time
	}
	return 0, ErrNotFound
}

func values(items []bigtable.ReadItem) []float64 {
	out := make([]float64, 0, len(items))
	for _, it := range items {
		out = append(out, decode(it.Value))
	}
	return out
}

func encode(v float64) []byte {
	return binary.BigEndian.AppendUint64(nil, math.Float64bits(v))
}

func decode(b []byte) float64 {
	if len(b) != 8 {
		return math.NaN()
	}
	return math.Float64frombits(binary.BigEndian.Uint64(b))
}
