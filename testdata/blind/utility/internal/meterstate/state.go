// Package meterstate keeps each meter's last reading at timestamp zero.
package meterstate

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"time"

	"cloud.google.com/go/bigtable"

	bm "nordkraft.example/grid/internal/btmodel"
	"nordkraft.example/grid/internal/btrt"
)

// Reading is what a meter sends.
type Reading struct {
	Meter   string
	Wh      int64
	At      time.Time
	Quality string
}

// Store keeps last readings and accumulators.
type Store struct {
	t *bm.MeterState
}

// New makes the store.
func New(t *bm.MeterState) *Store { return &Store{t: t} }

// Save replaces the last reading.
func (s *Store) Save(ctx context.Context, r Reading) error {
	return s.t.PutLast(ctx, r.Meter, &bm.MeterStateLast{WattHours: r.Wh, Quality: r.Quality}) // ok ttlwrite/clock-in-zero
}

// SaveAt replaces it and keeps when it was taken.
func (s *Store) SaveAt(ctx context.Context, r Reading) error {
	m := bigtable.NewMutation()
	l := bm.MeterStateLast{WattHours: r.Wh, Quality: r.Quality, Source: "push"}
	l.Marshal(m, bigtable.Time(time.Now().Truncate(time.Minute))) // want ttlwrite/clock-in-zero
	return s.t.Apply(ctx, r.Meter, m)
}

// SaveManual is a reading that a customer typed.
func (s *Store) SaveManual(ctx context.Context, meter string, wh int64) error {
	m := bigtable.NewMutation()
	l := bm.MeterStateLast{WattHours: wh, Quality: "E", Source: "manual"}
	l.Marshal(m, bigtable.Now()) // want ttlwrite/clock-in-zero
	return s.t.Apply(ctx, meter, m)
}

// SaveEstimate is a reading that nobody took.
func (s *Store) SaveEstimate(ctx context.Context, meter string, wh int64) error {
	m := bigtable.NewMutation()
	var zero bigtable.Timestamp
	l := bm.MeterStateLast{WattHours: wh, Quality: "E", Source: "estimate"}
	l.Marshal(m, zero) // ok ttlwrite/clock-in-zero
	return s.t.Apply(ctx, meter, m)
}

// FixQuality overwrites one column.
func (s *Store) FixQuality(ctx context.Context, meter, q string) error {
	m := bigtable.NewMutation()
	m.Set(bm.MeterStateFamilyLast, bm.MeterStateColLastQuality, bigtable.ServerTime, []byte(q)) // want ttlwrite/clock-in-zero
	return s.t.Apply(ctx, meter, m)
}

// FixSource overwrites one column, as everyone should.
func (s *Store) FixSource(ctx context.Context, meter, src string) error {
	m := bigtable.NewMutation()
	m.Set(bm.MeterStateFamilyLast, bm.MeterStateColLastSource, 0, []byte(src)) // ok ttlwrite/clock-in-zero
	return s.t.Apply(ctx, meter, m)
}

// Versioned writes with a small number so that it sorts after the old.
func (s *Store) Versioned(ctx context.Context, meter string, v []byte) error {
	m := bigtable.NewMutation()
	m.Set(bm.MeterStateFamilyLast, bm.MeterStateColLastSource, 1000, v) // want ttlwrite/clock-in-zero
	return s.t.Apply(ctx, meter, m)
}

// Twice writes a reading and its correction.
func (s *Store) Twice(ctx context.Context, meter string, wh, fix int64) error {
	m := bigtable.NewMutation()
	m.Set(bm.MeterStateFamilyLast, bm.MeterStateColLastWattHours, 0, be(wh))    // ok ttlwrite/clock-in-zero
	m.Set(bm.MeterStateFamilyLast, bm.MeterStateColLastWattHours, 0, be(fix))   // want ttlwrite/same-timestamp
	m.Set(bm.MeterStateFamilyLast, bm.MeterStateColLastQuality, 0, []byte("C")) // ok ttlwrite/same-timestamp
	return s.t.Apply(ctx, meter, m)
}

// Collect writes the readings of a gateway, the newest last.
func (s *Store) Collect(ctx context.Context, gw string, rs []Reading) error {
	m := bigtable.NewMutation()
	for _, r := range rs {
		m.Set(bm.MeterStateFamilyLast, "gw", 0, be(r.Wh))         // want ttlwrite/same-timestamp
		m.Set(bm.MeterStateFamilyLast, "m:"+r.Meter, 0, be(r.Wh)) // ok ttlwrite/same-timestamp
	}
	return s.t.Apply(ctx, gw, m)
}

func be(n int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }

// Bump counts a reading.
func (s *Store) Bump(ctx context.Context, meter string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(bm.MeterStateFamilyLast, "count", 1) // want ttlwrite/read-modify-write
	_, err := s.t.Table().ApplyReadModifyWrite(ctx, meter, rmw)
	return err
}

// BumpAcc adds to the accumulator.
func (s *Store) BumpAcc(ctx context.Context, meter string, wh int64) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(bm.MeterStateFamilyAcc, bm.MeterStateColAccImportWh, wh) // ok ttlwrite/read-modify-write
	_, err := s.t.Table().ApplyReadModifyWrite(ctx, meter, rmw)
	return err
}

// SumDay adds to an aggregate column.
func (s *Store) SumDay(ctx context.Context, meter string, day time.Time, wh int64) error {
	m := bigtable.NewMutation()
	m.AddIntToCell(bm.MeterStateFamilyAcc, "day", bigtable.ServerTime, wh)                     // want ttlwrite/aggregate-server-time
	m.AddIntToCell(bm.MeterStateFamilyAcc, "hour", bigtable.Time(day.Truncate(time.Hour)), wh) // ok ttlwrite/aggregate-server-time
	return s.t.Apply(ctx, meter, m)
}

// Get reads the last reading.
func (s *Store) Get(ctx context.Context, meter string) (*Reading, error) {
	r, err := s.t.GetLast(ctx, meter) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	if r == nil {
		return nil, btrt.ErrNotFound
	}
	return &Reading{Meter: meter, Wh: r.WattHours, Quality: r.Quality}, nil
}

// Silent lists meters that have not reported for a day.
func (s *Store) Silent(ctx context.Context) ([]string, error) {
	var out []string
	now := time.Now()
	err := s.t.Table().ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row[bm.MeterStateFamilyLast] {
			if now.Sub(it.Timestamp.Time()) > 24*time.Hour { // want ttlage/not-write-time
				out = append(out, row.Key())
				break
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(bm.MeterStateFamilyLast)))
	return out, err
}

// SilentAcc asks the accumulators, which have real timestamps.
func (s *Store) SilentAcc(ctx context.Context) ([]string, error) {
	var out []string
	now := time.Now()
	err := s.t.Table().ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row[bm.MeterStateFamilyAcc] {
			if now.Sub(it.Timestamp.Time()) > 24*time.Hour { // ok ttlage/not-write-time
				out = append(out, row.Key())
				break
			}
		}
		return true
	})
	return out, err
}

// Export makes the JSON that the settlement system reads.
func (s *Store) Export(ctx context.Context, meter string) ([]byte, error) {
	row, err := s.t.Table().ReadRow(ctx, meter) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	doc := map[string]any{"meter": meter}
	for _, it := range row[bm.MeterStateFamilyLast] {
		doc["updated_at"] = it.Timestamp.Time() // want ttlage/not-write-time
	}
	for _, it := range row[bm.MeterStateFamilyAcc] {
		doc["acc_updated_at"] = it.Timestamp.Time() // ok ttlage/not-write-time
	}
	return json.Marshal(doc)
}
