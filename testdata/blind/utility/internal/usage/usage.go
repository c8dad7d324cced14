// Package usage stores consumption under the time it was measured.
package usage

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	bm "nordkraft.example/grid/internal/btmodel"
	"nordkraft.example/grid/internal/btrt"
)

// Point is one interval's consumption.
type Point struct {
	At time.Time
	Wh int64
	Q  string
}

// Store reads and writes points.
type Store struct {
	t     *bm.Consumption
	clock func() time.Time
}

// New makes the store.
func New(t *bm.Consumption) *Store { return &Store{t: t, clock: time.Now} }

func kwh(p Point) *bm.ConsumptionKwh { return &bm.ConsumptionKwh{WattHours: p.Wh, Quality: p.Q} }

// Put writes a point at its time.
func (s *Store) Put(ctx context.Context, meter string, p Point) error {
	return s.t.PutKwh(ctx, meter, kwh(p), bigtable.Time(p.At)) // ok ttlunit/wrong-unit
}

// PutUnix takes a point from the concentrator, which has seconds.
func (s *Store) PutUnix(ctx context.Context, meter string, p Point) error {
	return s.t.PutKwh(ctx, meter, kwh(p), bigtable.Timestamp(p.At.Unix())) // want ttlunit/wrong-unit
}

// PutMilli takes a point from the gateway, which has milliseconds.
func (s *Store) PutMilli(ctx context.Context, meter string, p Point) error {
	ts := bigtable.Timestamp(p.At.UnixMilli()) // want ttlunit/wrong-unit[milli]
	return s.t.PutKwh(ctx, meter, kwh(p), ts)  // want ttlunit/wrong-unit[milli]
}

// PutNano takes a point from the simulator.
func (s *Store) PutNano(ctx context.Context, meter string, p Point) error {
	return s.t.PutKwh(ctx, meter, kwh(p), bigtable.Timestamp(p.At.UnixNano())) // want ttlunit/wrong-unit
}

// PutMicro is right.
func (s *Store) PutMicro(ctx context.Context, meter string, p Point) error {
	return s.t.PutKwh(ctx, meter, kwh(p), btrt.Stamp(p.At)) // ok ttlunit/wrong-unit
}

// PutScaled scales milliseconds.
func (s *Store) PutScaled(ctx context.Context, meter string, p Point) error {
	return s.t.PutKwh(ctx, meter, kwh(p), bigtable.Timestamp(p.At.UnixMilli()*1000)) // ok ttlunit/wrong-unit
}

// PutHalf scales seconds only half the way.
func (s *Store) PutHalf(ctx context.Context, meter string, p Point) error {
	return s.t.PutKwh(ctx, meter, kwh(p), bigtable.Timestamp(p.At.Unix()*1000)) // want ttlunit/wrong-unit
}

// PutDiv scales nanoseconds down.
func (s *Store) PutDiv(ctx context.Context, meter string, p Point) error {
	return s.t.PutKwh(ctx, meter, kwh(p), bigtable.Timestamp(p.At.UnixNano()/1000)) // ok ttlunit/wrong-unit
}

// PutNext writes a forecast an interval ahead.
func (s *Store) PutNext(ctx context.Context, meter string, p Point) error {
	return s.t.PutKwh(ctx, meter, kwh(p), bigtable.Time(p.At)+bigtable.Timestamp(15*time.Minute)) // want ttlunit/wrong-unit
}

// PutAhead is PutNext as it should be.
func (s *Store) PutAhead(ctx context.Context, meter string, p Point) error {
	return s.t.PutKwh(ctx, meter, kwh(p), bigtable.Time(p.At.Add(15*time.Minute))) // ok ttlunit/wrong-unit
}

// PutOffset writes a profile value at its offset from midnight.
func (s *Store) PutOffset(ctx context.Context, meter string, off time.Duration, p Point) error {
	return s.t.PutKwh(ctx, meter, kwh(p), bigtable.Timestamp(off)) // want ttlunit/wrong-unit
}

// PutUnknown writes a point whose time is not known.
func (s *Store) PutUnknown(ctx context.Context, meter string, p Point) error {
	return s.t.PutKwh(ctx, meter, kwh(p), bigtable.Time(time.Time{})) // want ttlunit/out-of-range
}

// PutEpoch writes the profile's first value.
func (s *Store) PutEpoch(ctx context.Context, meter string, p Point) error {
	return s.t.PutKwh(ctx, meter, kwh(p), bigtable.Time(time.Unix(0, 0))) // ok ttlunit/out-of-range
}

// PutMark writes a marker between two intervals.
func (s *Store) PutMark(ctx context.Context, meter string) error {
	m := bigtable.NewMutation()
	m.Set(bm.ConsumptionFamilyKwh, "mark", 1500, nil)  // want ttlunit/sub-millisecond
	m.Set(bm.ConsumptionFamilyKwh, "mark2", 2000, nil) // ok ttlunit/sub-millisecond
	return s.t.Apply(ctx, meter, m)
}

// PutMinus writes a marker before all intervals.
func (s *Store) PutMinus(ctx context.Context, meter string) error {
	m := bigtable.NewMutation()
	m.Set(bm.ConsumptionFamilyKwh, "first", -5000, nil) // want ttlunit/out-of-range
	return s.t.Apply(ctx, meter, m)
}

// Correct records a correction; its timestamp is when it was made.
func (s *Store) Correct(ctx context.Context, meter string, wh int64, why string) error {
	return s.t.PutRev(ctx, meter, &bm.ConsumptionRev{WattHours: wh, Reason: why}) // ok ttlwrite/clock-in-sequence
}

// CorrectAt records one that was made elsewhere.
func (s *Store) CorrectAt(ctx context.Context, meter string, at time.Time, wh int64) error {
	m := bigtable.NewMutation()
	r := bm.ConsumptionRev{WattHours: wh}
	r.Marshal(m, bigtable.Time(at)) // ok ttlwrite/clock-in-sequence
	return s.t.Apply(ctx, meter, m)
}

// CountRev counts corrections.
func (s *Store) CountRev(ctx context.Context, meter string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(bm.ConsumptionFamilyRev, "n", 1) // ok ttlwrite/read-modify-write
	_, err := s.t.Table().ApplyReadModifyWrite(ctx, meter, rmw)
	return err
}

// Between reads a window.
func (s *Store) Between(ctx context.Context, meter string, from, to time.Time) ([]Point, error) {
	f := btrt.Family(bm.ConsumptionFamilyKwh, bigtable.TimestampRangeFilter(from, to)) // ok ttlread/upper-bound
	row, err := s.t.Table().ReadRow(ctx, meter, bigtable.RowFilter(f))                 // ok ttlread/upper-bound
	return points(row), err
}

// BetweenMs reads a window that the portal gives.
func (s *Store) BetweenMs(ctx context.Context, meter string, from, to time.Time) ([]Point, error) {
	f := bigtable.TimestampRangeFilterMicros(bigtable.Timestamp(from.UnixMilli()), bigtable.Time(to)) // want ttlunit/wrong-unit
	row, err := s.t.Table().ReadRow(ctx, meter, bigtable.RowFilter(f))
	return points(row), err
}

// BetweenMicros reads a window in microseconds.
func (s *Store) BetweenMicros(ctx context.Context, meter string, from, to time.Time) ([]Point, error) {
	f := bigtable.TimestampRangeFilterMicros(btrt.Stamp(from), btrt.Stamp(to)) // ok ttlunit/wrong-unit
	row, err := s.t.Table().ReadRow(ctx, meter, bigtable.RowFilter(f))         // ok ttlread/missing-filter
	return points(row), err
}

// Profile reads what has no date.
func (s *Store) Profile(ctx context.Context, meter string) ([]Point, error) {
	f := bigtable.TimestampRangeFilterMicros(0, 900) // want ttlunit/sub-millisecond
	row, err := s.t.Table().ReadRow(ctx, meter, bigtable.RowFilter(f))
	return points(row), err
}

// FirstMs reads the first millisecond.
func (s *Store) FirstMs(ctx context.Context, meter string) ([]Point, error) {
	f := bigtable.TimestampRangeFilterMicros(0, 1000) // ok ttlunit/sub-millisecond
	row, err := s.t.Table().ReadRow(ctx, meter, bigtable.RowFilter(f))
	return points(row), err
}

// SecondMs reads the second.
func (s *Store) SecondMs(ctx context.Context, meter string) ([]Point, error) {
	f := bigtable.TimestampRangeFilterMicros(2000, 2000) // want ttlunit/empty-range
	row, err := s.t.Table().ReadRow(ctx, meter, bigtable.RowFilter(f))
	return points(row), err
}

// ClearProfile deletes what has no date.
func (s *Store) ClearProfile(ctx context.Context, meter string) error {
	m := bigtable.NewMutation()
	m.DeleteTimestampRange(bm.ConsumptionFamilyKwh, bm.ConsumptionColKwhWattHours, 0, 999) // want ttlunit/sub-millisecond
	m.DeleteTimestampRange(bm.ConsumptionFamilyKwh, bm.ConsumptionColKwhQuality, 0, 1000)  // ok ttlunit/sub-millisecond
	return s.t.Apply(ctx, meter, m)
}

// Corrections reads corrections up to now.
func (s *Store) Corrections(ctx context.Context, meter string) (int, error) {
	f := btrt.Family(bm.ConsumptionFamilyRev, bigtable.TimestampRangeFilter(time.Time{}, s.clock())) // ok ttlread/wrong-bound
	row, err := s.t.Table().ReadRow(ctx, meter, bigtable.RowFilter(f))                               // ok ttlread/wrong-bound
	return len(row[bm.ConsumptionFamilyRev]), err
}

// Lag is how far a meter's data is behind.
func (s *Store) Lag(ctx context.Context, meter string) (time.Duration, error) {
	r, err := s.t.GetKwh(ctx, meter)
	if err != nil || r == nil {
		return 0, err
	}
	return time.Since(r.MeasuredAt), nil // ok ttlage/not-write-time
}

// None reads no version at all, which a flag once asked for.
func (s *Store) None(ctx context.Context, meter string) (bigtable.Row, error) {
	return s.t.Table().ReadRow(ctx, meter, bigtable.RowFilter(bigtable.LatestNFilter(0))) // want ttlunit/invalid-filter
}

// Single chains one filter.
func (s *Store) Single(ctx context.Context, meter string) (bigtable.Row, error) {
	one := bigtable.ChainFilters(bigtable.FamilyFilter(bm.ConsumptionFamilyKwh)) // want ttlunit/invalid-filter
	return s.t.Table().ReadRow(ctx, meter, bigtable.RowFilter(one))
}

// Pair adds two options up, as its author believed.
func (s *Store) Pair(ctx context.Context, meter string, from time.Time) (bigtable.Row, error) {
	return s.t.Table().ReadRow(ctx, meter, bigtable.RowFilter(bigtable.FamilyFilter(bm.ConsumptionFamilyKwh)), bigtable.RowFilter(bigtable.TimestampRangeFilter(from, time.Time{}))) // want ttlread/overridden-filter
}

func points(row bigtable.Row) []Point {
	var out []Point
	for _, it := range row[bm.ConsumptionFamilyKwh] {
		if it.Timestamp == bigtable.ServerTime { // want ttlage/server-sentinel
			continue
		}
		out = append(out, Point{At: it.Timestamp.Time()}) // ok ttlage/not-write-time
	}
	return out
}
