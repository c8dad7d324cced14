// Package rollup stores points that were rolled up to a coarser step. There
// is a table for each step; a row is a series and a day, a column an hour.
package rollup

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/lumen/internal/bt"
	"example.com/lumen/internal/names"
)

// Columns of the header.
const (
	colUnit    = "unit"
	colStep    = "step"
	colWriters = "writers"
	colHelp    = "help"
)

// Bucket is the aggregate of one step.
type Bucket struct {
	Start         time.Time
	Min, Max, Sum float64
	Count         int64
	WrittenAt     time.Time
	LeavesAt      time.Time
}

func (b Bucket) marshal() []byte {
	out := make([]byte, 0, 32)
	for _, f := range []float64{b.Min, b.Max, b.Sum} {
		out = binary.BigEndian.AppendUint64(out, math.Float64bits(f))
	}
	return binary.BigEndian.AppendUint64(out, uint64(b.Count))
}

func (b *Bucket) unmarshal(v []byte) error {
	if len(v) != 32 {
		return fmt.Errorf("rollup: bucket of %d bytes", len(v))
	}
	for i, p := range []*float64{&b.Min, &b.Max, &b.Sum} {
		*p = math.Float64frombits(binary.BigEndian.Uint64(v[8*i:]))
	}
	b.Count = int64(binary.BigEndian.Uint64(v[24:]))
	return nil
}

func rowKey(tenant, series string, day time.Time) string {
	return tenant + "#" + series + "#" + day.UTC().Format("20060102")
}

func column(t time.Time) string { return t.UTC().Format("1504") }

// Store is the table of a resolution.
type Store struct {
	tbl  *bigtable.Table
	res  string
	step time.Duration
}

func Open(c *bigtable.Client, res string) (*Store, error) {
	step, err := time.ParseDuration(res)
	if err != nil {
		return nil, err
	}
	return &Store{tbl: c.Open(names.RollupTable(res)), res: res, step: step}, nil
}

func (s *Store) Step() time.Duration { return s.step }

func (s *Store) Put(ctx context.Context, tenant, series string, b Bucket) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamRollup, column(b.Start), bigtable.ServerTime, b.marshal()) // ok ttlwrite/server-timestamp
	mut.Set(names.FamHeader, colStep, 0, []byte(s.res))                         // ok ttlwrite/clock-in-zero
	return bt.Retry(ctx, "put rollup", func() error { return s.tbl.Apply(ctx, rowKey(tenant, series, b.Start), mut) })
}

func (s *Store) PutFor(ctx context.Context, tenant, series string, b Bucket, keep time.Duration) error {
	return bt.Put(ctx, s.tbl, rowKey(tenant, series, b.Start), names.FamRollup, column(b.Start), bt.Shift(keep, names.RollupRetention), b.marshal()) // ok ttlwrite/already-expired
}

func (s *Store) PutMonth(ctx context.Context, tenant, series string, b Bucket) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamRollup, column(b.Start), bigtable.Time(time.Now().Add(-60*names.Day)), b.marshal()) // ok ttlwrite/already-expired
	return s.tbl.Apply(ctx, rowKey(tenant, series, b.Start), mut)
}

func (s *Store) PutQuarter(ctx context.Context, tenant, series string, b Bucket) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamRollup, column(b.Start), bigtable.Time(time.Now().Add(-names.RollupRetention)), b.marshal()) // want ttlwrite/already-expired
	return s.tbl.Apply(ctx, rowKey(tenant, series, b.Start), mut)
}

func (s *Store) PutOnce(ctx context.Context, tenant, series string, b Bucket) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamRollup, column(b.Start), 0, b.marshal()) // want ttlwrite/already-expired
	mut.Set(names.FamHeader, colHelp, 0, nil)                 // ok ttlwrite/already-expired
	return s.tbl.Apply(ctx, rowKey(tenant, series, b.Start), mut)
}

func (s *Store) PutAt(ctx context.Context, tenant, series string, b Bucket) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamRollup, column(b.Start), bigtable.Timestamp(b.Start.UnixMilli()), b.marshal()) // want ttlunit/wrong-unit
	return s.tbl.Apply(ctx, rowKey(tenant, series, b.Start), mut)
}

func (s *Store) PutAtMicros(ctx context.Context, tenant, series string, b Bucket) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamRollup, column(b.Start), bigtable.Timestamp(b.Start.Unix()*1e6), b.marshal()) // ok ttlunit/wrong-unit
	return s.tbl.Apply(ctx, rowKey(tenant, series, b.Start), mut)
}

func (s *Store) PutSlot(ctx context.Context, tenant, series string, b Bucket) error {
	slot := b.Start.Truncate(s.step)
	secs := slot.Unix()
	mut := bigtable.NewMutation()
	mut.Set(names.FamRollup, column(slot), bigtable.Timestamp(secs*1000), b.marshal())                // want ttlunit/wrong-unit
	mut.Set(names.FamRollup, column(slot)+"e", bigtable.Timestamp(slot.UnixNano()/1000), b.marshal()) // ok ttlunit/wrong-unit
	return s.tbl.Apply(ctx, rowKey(tenant, series, slot), mut)
}

func (s *Store) PutNano(ctx context.Context, tenant, series string, b Bucket) error {
	ts := bigtable.Timestamp(b.Start.UnixNano()) // want ttlunit/wrong-unit
	return bt.Put(ctx, s.tbl, rowKey(tenant, series, b.Start), names.FamRollup, column(b.Start), ts, b.marshal())
}

func (s *Store) Describe(ctx context.Context, tenant, series, unit, help string, day time.Time) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamHeader, colUnit, 0, []byte(unit))              // ok ttlwrite/clock-in-zero
	mut.Set(names.FamHeader, colHelp, bigtable.Now(), []byte(help)) // want ttlwrite/clock-in-zero
	return s.tbl.Apply(ctx, rowKey(tenant, series, day), mut)
}

func (s *Store) Count(ctx context.Context, tenant, series string, day time.Time) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(names.FamHeader, colWriters, 1) // want ttlwrite/read-modify-write
	rmw.Increment(names.FamRollup, "writes", 1)   // ok ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, rowKey(tenant, series, day), rmw)
	return err
}

func (s *Store) Add(ctx context.Context, tenant, series string, at time.Time, n int64) error {
	mut := bigtable.NewMutation()
	mut.AddIntToCell("sum", column(at), bigtable.ServerTime, n) // want ttlwrite/aggregate-server-time
	return s.tbl.Apply(ctx, rowKey(tenant, series, at), mut)
}

func (s *Store) AddAt(ctx context.Context, tenant, series string, at time.Time, n int64) error {
	mut := bigtable.NewMutation()
	mut.AddIntToCell("sum", column(at), bigtable.Time(at.Truncate(s.step)), n) // ok ttlwrite/aggregate-server-time
	return s.tbl.Apply(ctx, rowKey(tenant, series, at), mut)
}

func (s *Store) Rewrite(ctx context.Context, tenant, series string, day time.Time, bs []Bucket) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(names.FamRollup)
	now := bigtable.Now()
	for _, b := range bs {
		mut.Set(names.FamRollup, column(b.Start), now, b.marshal()) // ok ttlwrite/delete-after-set
	}
	return s.tbl.Apply(ctx, rowKey(tenant, series, day), mut)
}

func (s *Store) Shrink(ctx context.Context, tenant, series string, day time.Time, total Bucket) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamRollup, "total", bigtable.Now(), total.marshal())
	mut.DeleteRow() // want ttlwrite/delete-after-set
	return s.tbl.Apply(ctx, rowKey(tenant, series, day), mut)
}

func (s *Store) Totals(ctx context.Context, tenant, series string, day time.Time, bs []Bucket) error {
	mut := bigtable.NewMutation()
	now := bigtable.Now()
	for _, b := range bs {
		mut.Set(names.FamRollup, "total", now, b.marshal()) // want ttlwrite/same-timestamp
	}
	return s.tbl.Apply(ctx, rowKey(tenant, series, day), mut)
}

func (s *Store) Forget(ctx context.Context, tenant, series string, day time.Time) error {
	mut := bigtable.NewMutation()
	mut.DeleteTimestampRange(names.FamRollup, "total", 0, 999) // want ttlunit/sub-millisecond
	return s.tbl.Apply(ctx, rowKey(tenant, series, day), mut)
}

func (s *Store) ForgetUntil(ctx context.Context, tenant, series string, day, until time.Time) error {
	mut := bigtable.NewMutation()
	mut.DeleteTimestampRange(names.FamRollup, "total", 0, bigtable.Time(until)) // ok ttlunit/sub-millisecond
	return s.tbl.Apply(ctx, rowKey(tenant, series, day), mut)
}
