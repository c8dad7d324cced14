// Package pacing records delivery rates. Its table has a family "entry" of its
// own, with the times of the measurements.
package pacing

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"adcap.example/platform/internal/mutate"
	"adcap.example/platform/internal/schema"
)

// Meter writes measurements.
type Meter struct {
	tbl *bigtable.Table
}

// NewMeter opens the table.
func NewMeter(c *bigtable.Client) *Meter { return &Meter{tbl: c.Open(schema.TablePacing)} }

// Sample is a measurement.
type Sample struct {
	Campaign string
	At       time.Time
	Rate     int64
}

// Write writes a sample at its time.
func (m *Meter) Write(ctx context.Context, s Sample) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamEntry, "rate", bigtable.Time(s.At), mutate.Int(s.Rate)) // ok ttlwrite/clock-in-sequence
	mut.Set(schema.FamEntry, "count", bigtable.ServerTime, mutate.Int(1))     // ok ttlwrite/clock-in-sequence
	mut.Set(schema.FamRate, "current", bigtable.Now(), mutate.Int(s.Rate))    // ok ttlwrite/write-time
	return m.tbl.Apply(ctx, s.Campaign, mut)
}

// Count counts.
func (m *Meter) Count(ctx context.Context, campaign string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamEntry, "count", 1) // ok ttlwrite/read-modify-write
	_, err := m.tbl.ApplyReadModifyWrite(ctx, campaign, rmw)
	return err
}

// Window reads a window of time.
func (m *Meter) Window(ctx context.Context, campaign string, from, to time.Time) ([]Sample, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamEntry), bigtable.TimestampRangeFilter(from, to)) // ok ttlread/wrong-bound ttlread/upper-bound
	row, err := m.tbl.ReadRow(ctx, campaign, bigtable.RowFilter(f))                                             // ok ttlread/version-limit ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	var out []Sample
	for _, it := range row[schema.FamEntry] {
		out = append(out, Sample{Campaign: campaign, At: it.Timestamp.Time(), Rate: mutate.ParseInt(it.Value)}) // ok ttlage/not-write-time
	}
	return out, nil
}

// Age says how old the newest sample is.
func (m *Meter) Age(ctx context.Context, campaign string) (time.Duration, error) {
	row, err := m.tbl.ReadRow(ctx, campaign, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamEntry), bigtable.LatestNFilter(1)))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, it := range row[schema.FamEntry] {
		return time.Since(it.Timestamp.Time()), nil // ok ttlage/not-write-time
	}
	return 0, nil
}

// LastHour is a window with constant units that went wrong.
func (m *Meter) LastHour(ctx context.Context, campaign string) (bigtable.Row, error) {
	now := time.Now()
	return m.tbl.ReadRow(ctx, campaign, bigtable.RowFilter(bigtable.TimestampRangeFilterMicros(bigtable.Timestamp(now.Add(-time.Hour).Unix()), 0))) // want ttlunit/wrong-unit
}

// LastHourRight converts.
func (m *Meter) LastHourRight(ctx context.Context, campaign string) (bigtable.Row, error) {
	now := time.Now()
	return m.tbl.ReadRow(ctx, campaign, bigtable.RowFilter(bigtable.TimestampRangeFilterMicros(bigtable.Time(now.Add(-time.Hour)), 0))) // ok ttlunit/wrong-unit
}

// Sentinel was copied from a Java test.
func (m *Meter) Sentinel(ctx context.Context, campaign string) (int, error) {
	row, err := m.tbl.ReadRow(ctx, campaign) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	n := 0
	for _, it := range row[schema.FamEntry] {
		if it.Timestamp == bigtable.ServerTime { // want ttlage/server-sentinel
			n++
		}
		if it.Timestamp == 0 { // ok ttlage/server-sentinel
			n--
		}
	}
	return n, nil
}

// Trim deletes old samples.
func (m *Meter) Trim(ctx context.Context, campaign string) error {
	mut := bigtable.NewMutation()
	mut.DeleteTimestampRange(schema.FamEntry, "rate", 0, bigtable.Time(time.Now().Add(-schema.PacingHistory))) // ok ttlunit/sub-millisecond
	mut.DeleteTimestampRange(schema.FamEntry, "probe", 0, 500)                                                 // want ttlunit/sub-millisecond
	mut.DeleteTimestampRange(schema.FamRate, "current", 0, 1000)                                               // ok ttlunit/sub-millisecond
	return m.tbl.Apply(ctx, campaign, mut)
}

// Odd filters found in review.
func (m *Meter) Odd(ctx context.Context, campaign string) error {
	for _, f := range []bigtable.Filter{
		bigtable.LatestNFilter(0),                                     // want ttlunit/invalid-filter
		bigtable.LatestNFilter(1),                                     // ok ttlunit/invalid-filter
		bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamEntry)), // want ttlunit/invalid-filter
		bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamEntry), bigtable.LatestNFilter(1)),     // ok ttlunit/invalid-filter
		bigtable.InterleaveFilters(bigtable.FamilyFilter(schema.FamRate)),                            // want ttlunit/invalid-filter
		bigtable.InterleaveFilters(bigtable.FamilyFilter(schema.FamRate), bigtable.BlockAllFilter()), // ok ttlunit/invalid-filter
		bigtable.TimestampRangeFilterMicros(5000, 2000),                                              // want ttlunit/empty-range
		bigtable.TimestampRangeFilterMicros(2000, 5000),                                              // ok ttlunit/empty-range
		bigtable.TimestampRangeFilterMicros(0, 999),                                                  // want ttlunit/sub-millisecond
		bigtable.TimestampRangeFilterMicros(0, 9000),                                                 // ok ttlunit/sub-millisecond
	} {
		if _, err := m.tbl.ReadRow(ctx, campaign, bigtable.RowFilter(f)); err != nil {
			return err
		}
	}
	return nil
}

// Units are the timestamps that the importer tried.
func (m *Meter) Units(ctx context.Context, s Sample, d time.Duration) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamEntry, "a", bigtable.Timestamp(s.At.Unix()), nil)                     // want ttlunit/wrong-unit
	mut.Set(schema.FamEntry, "b", bigtable.Timestamp(s.At.UnixNano()), nil)                 // want ttlunit/wrong-unit
	mut.Set(schema.FamEntry, "c", bigtable.Timestamp(s.At.UnixMicro()), nil)                // ok ttlunit/wrong-unit
	mut.Set(schema.FamEntry, "d", bigtable.Timestamp(d), nil)                               // want ttlunit/wrong-unit
	mut.Set(schema.FamEntry, "e", bigtable.Time(s.At)+bigtable.Timestamp(time.Minute), nil) // want ttlunit/wrong-unit
	mut.Set(schema.FamEntry, "f", bigtable.Time(s.At.Add(time.Minute)), nil)                // ok ttlunit/wrong-unit
	mut.Set(schema.FamEntry, "g", bigtable.Time(time.Time{}), nil)                          // want ttlunit/out-of-range
	mut.Set(schema.FamEntry, "h", bigtable.Timestamp(-5000), nil)                           // want ttlunit/out-of-range
	mut.Set(schema.FamEntry, "i", bigtable.Timestamp(1500), nil)                            // want ttlunit/sub-millisecond
	mut.Set(schema.FamEntry, "j", bigtable.Timestamp(2000), nil)                            // ok ttlunit/sub-millisecond
	mut.Set(schema.FamEntry, "k", bigtable.Timestamp(s.At.UnixMilli()*1000), nil)           // ok ttlunit/wrong-unit
	mut.Set(schema.FamEntry, "l", micros(s.At), nil)                                        // ok ttlunit/wrong-unit
	return m.tbl.Apply(ctx, s.Campaign, mut)
}

func micros(t time.Time) bigtable.Timestamp {
	return bigtable.Timestamp(t.UnixNano() / int64(time.Microsecond))
} // ok ttlunit/wrong-unit
