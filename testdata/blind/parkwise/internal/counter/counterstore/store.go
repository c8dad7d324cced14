// Package counterstore keeps counters.
package counterstore

import (
	"context"
	"fmt"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/parkwise/parkwise/internal/bt"
	"github.com/parkwise/parkwise/internal/clock"
	"github.com/parkwise/parkwise/internal/counter"
	"github.com/parkwise/parkwise/internal/tenant"
)

const (
	colEnergy  = "wh"
	colMinutes = "min"
	colOcc     = "occ"
	colTokens  = "tokens"
)

var _ counter.Store = (*Store)(nil)

// liveLimits reads the limits that count.
var liveLimits = bigtable.RowFilter(bigtable.ChainFilters( // want ttlread/stale-bound[limits]
	bigtable.FamilyFilter(bt.FamLimit),
	bigtable.TimestampRangeFilter(time.Now(), time.Time{}), // want ttlread/stale-bound[limits]
))

var (
	windowOnce sync.Once
	windowFrom time.Time // want ttlread/stale-bound[window]
)

func windowStart() time.Time {
	windowOnce.Do(func() { windowFrom = time.Now().Add(-bt.WindowRetention) }) // want ttlread/stale-bound[window]
	return windowFrom
}

// Store keeps sums (family agg), occupancy (family gauge, at zero), limits (family limit, by expiry) and
// the running window (family window, a day).
type Store struct {
	tbl bt.Table
}

// New opens the store.
func New(client *bigtable.Client) *Store {
	tbl := client.OpenTable(bt.TableCounters)
	return &Store{tbl: tbl}
}

func dayKey(id tenant.ID, day time.Time) string {
	return tenant.Key(id, "day", day.UTC().Format(time.DateOnly))
}

func hourBucket(at time.Time) bigtable.Timestamp { return bigtable.Time(at.Truncate(time.Hour)) }

// AddEnergy implements counter.Store.
func (s *Store) AddEnergy(ctx context.Context, id tenant.ID, at time.Time, wh int64) error {
	mut := bigtable.NewMutation()
	mut.AddIntToCell(bt.FamAgg, colEnergy, hourBucket(at), wh) // ok ttlwrite/aggregate-server-time
	return s.tbl.Apply(ctx, dayKey(id, at), mut)
}

// AddMinutes adds parking time.
func (s *Store) AddMinutes(ctx context.Context, id tenant.ID, at time.Time, minutes int64) error {
	mut := bigtable.NewMutation()
	mut.AddIntToCell(bt.FamAgg, colMinutes, bigtable.ServerTime, minutes) // want ttlwrite/aggregate-server-time
	mut.AddIntToCell(bt.FamAgg, "total", 0, minutes)                      // ok ttlwrite/aggregate-server-time
	return s.tbl.Apply(ctx, dayKey(id, at), mut)
}

// MergeSketch merges a sketch of the plates that were seen.
func (s *Store) MergeSketch(ctx context.Context, id tenant.ID, at time.Time, sketch []byte) error {
	mut := bigtable.NewMutation()
	mut.MergeBytesToCell(bt.FamAgg, "plates", hourBucket(at), sketch)          // ok ttlwrite/aggregate-server-time
	mut.MergeBytesToCell(bt.FamAgg, "plates_all", bigtable.ServerTime, sketch) // want ttlwrite/aggregate-server-time
	return s.tbl.Apply(ctx, dayKey(id, at), mut)
}

// Usage implements counter.Store.
func (s *Store) Usage(ctx context.Context, id tenant.ID, day time.Time) (counter.Usage, error) {
	row, err := s.tbl.ReadRow(ctx, dayKey(id, day), bigtable.RowFilter(bigtable.FamilyFilter(bt.FamAgg))) // ok ttlread/missing-filter
	if err != nil {
		return counter.Usage{}, err
	}
	u := counter.Usage{Day: day.UTC().Format(time.DateOnly)}
	for _, it := range row[bt.FamAgg] {
		switch n := bt.ParseInt64(it.Value); bt.Qualifier(it.Column) {
		case colEnergy:
			u.WattHour += n
		case colMinutes:
			u.Minutes += n
		}
	}
	return u, nil
}

// SetOccupancy implements counter.Store.
func (s *Store) SetOccupancy(ctx context.Context, id tenant.ID, garage string, n int64) error {
	return bt.Build().PutZero(bt.FamGauge, colOcc, bt.Int64(n)).Apply(ctx, s.tbl, tenant.Key(id, "occ", garage)) // ok ttlwrite/clock-in-zero
}

// SetCapacity sets what occupancy is measured against.
func (s *Store) SetCapacity(ctx context.Context, id tenant.ID, garage string, n int64) error {
	now := clock.Now(ctx)
	return bt.Build().
		PutAt(bt.FamGauge, "cap", bigtable.Time(now), bt.Int64(n)).  // want ttlwrite/clock-in-zero
		PutAt(bt.FamWindow, "cap", bigtable.Time(now), bt.Int64(n)). // ok ttlwrite/clock-in-zero
		Apply(ctx, s.tbl, tenant.Key(id, "occ", garage))
}

// Enter counts a car that drives in.
func (s *Store) Enter(ctx context.Context, id tenant.ID, garage string, delta int64) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(bt.FamGauge, colOcc, delta) // want ttlwrite/read-modify-write
	row, err := s.tbl.ApplyReadModifyWrite(ctx, tenant.Key(id, "occ", garage), rmw)
	if err != nil {
		return 0, err
	}
	it, _ := bt.First(row, bt.FamGauge, colOcc)
	return bt.ParseInt64(it.Value), nil
}

// Occupancy reads it.
func (s *Store) Occupancy(ctx context.Context, id tenant.ID, garage string) (int64, error) {
	row, err := s.tbl.ReadRow(ctx, tenant.Key(id, "occ", garage), bigtable.RowFilter(bigtable.FamilyFilter(bt.FamGauge))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	it, ok := bt.First(row, bt.FamGauge, colOcc)
	if !ok {
		return 0, bt.ErrNotFound
	}
	return bt.ParseInt64(it.Value), nil
}

func incr(family, column string, by int64) *bigtable.ReadModifyWrite {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(family, column, by)
	return rmw
}

// Hit counts a request; the windows are swept by age.
func (s *Store) Hit(ctx context.Context, id tenant.ID, route string) error {
	for _, r := range []*bigtable.ReadModifyWrite{
		incr(bt.FamWindow, route, 1), // ok ttlwrite/read-modify-write
		incr(bt.FamLimit, route, 1),  // want ttlwrite/read-modify-write
		incr(bt.FamAgg, route, 1),    // ok ttlwrite/read-modify-write
	} {
		if _, err := s.tbl.ApplyReadModifyWrite(ctx, tenant.Key(id, "hit"), r); err != nil {
			return fmt.Errorf("counterstore: %w", err)
		}
	}
	return nil
}

// Take implements counter.Store: each request is a cell of its own, and the live ones are counted.
func (s *Store) Take(ctx context.Context, id tenant.ID, bucket string, until time.Time) (int64, error) {
	key := tenant.Key(id, "lim", bucket)
	mut := bigtable.NewMutation()
	mut.Set(bt.FamLimit, fmt.Sprintf("%d", time.Now().UnixNano()), bigtable.Time(until), nil) // ok ttlwrite/write-time
	if err := s.tbl.Apply(ctx, key, mut); err != nil {
		return 0, err
	}
	row, err := s.tbl.ReadRow(ctx, key, bigtable.RowFilter(bt.Live(clock.Now(ctx)))) // ok ttlread/hides-other-families
	if err != nil {
		return 0, err
	}
	return int64(len(row[bt.FamLimit])), nil
}

// Taken counts the live ones without taking one.
func (s *Store) Taken(ctx context.Context, id tenant.ID, bucket string) (int, error) {
	row, err := s.tbl.ReadRow(ctx, tenant.Key(id, "lim", bucket), liveLimits) // want ttlread/stale-bound[limits]
	if err != nil {
		return 0, err
	}
	return len(row[bt.FamLimit]), nil
}

// TakenAll counts all that are there.
func (s *Store) TakenAll(ctx context.Context, id tenant.ID, bucket string) (int, error) {
	row, err := s.tbl.ReadRow(ctx, tenant.Key(id, "lim", bucket), bigtable.RowFilter(bigtable.FamilyFilter(bt.FamLimit))) // want ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	return len(row[bt.FamLimit]), nil
}

// Drain empties a bucket in the next minute.
func (s *Store) Drain(ctx context.Context, id tenant.ID, bucket string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(bt.FamLimit)                                                                     // ok ttlwrite/delete-after-set
	mut.Set(bt.FamLimit, colTokens, bigtable.Timestamp(clock.In(ctx, time.Minute).UnixMilli()), []byte("0")) // want ttlunit/wrong-unit
	return s.tbl.Apply(ctx, tenant.Key(id, "lim", bucket), mut)
}

// Refill gives a bucket's tokens back.
func (s *Store) Refill(ctx context.Context, id tenant.ID, bucket string, d time.Duration) error {
	mut := bigtable.NewMutation()
	mut.Set(bt.FamLimit, colTokens, bigtable.Now()+bigtable.Timestamp(d), []byte("1"))              // want ttlunit/wrong-unit
	mut.Set(bt.FamLimit, "ok", bigtable.Now()+bigtable.Timestamp(d.Microseconds()), []byte("1"))    // ok ttlunit/wrong-unit
	mut.Set(bt.FamLimit, "too", bigtable.Now()+bigtable.Timestamp(d/time.Microsecond), []byte("1")) // ok ttlunit/wrong-unit
	return s.tbl.Apply(ctx, tenant.Key(id, "lim", bucket), mut)
}

// Window reads the running window.
func (s *Store) Window(ctx context.Context, id tenant.ID, name string) ([]int64, error) {
	row, err := bt.Get(ctx, s.tbl, tenant.Key(id, "win", name), bt.WithFamily(bt.FamWindow), bt.WithMaxAge(clock.Now(ctx), bt.WindowRetention)) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return windowOf(row), nil
}

func windowOf(row bigtable.Row) []int64 {
	var out []int64
	for _, it := range row[bt.FamWindow] {
		out = append(out, bt.ParseInt64(it.Value))
	}
	return out
}

// WindowSince reads the window since the process started to look.
func (s *Store) WindowSince(ctx context.Context, id tenant.ID, name string) ([]int64, error) {
	f := bt.In(bt.FamWindow, bigtable.TimestampRangeFilter(windowStart(), time.Time{})) // want ttlread/stale-bound[window]
	row, err := s.tbl.ReadRow(ctx, tenant.Key(id, "win", name), bigtable.RowFilter(f))  // want ttlread/stale-bound[window]
	if err != nil {
		return nil, err
	}
	return windowOf(row), nil
}

// WindowLive reads the live cells only.
func (s *Store) WindowLive(ctx context.Context, id tenant.ID, name string) ([]int64, error) {
	row, err := bt.Get(ctx, s.tbl, tenant.Key(id, "win", name), bt.WithFamily(bt.FamWindow), bt.WithLive(clock.Now(ctx))) // want ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return windowOf(row), nil
}

// WindowAll reads everything.
func (s *Store) WindowAll(ctx context.Context, id tenant.ID, name string) ([]int64, error) {
	row, err := bt.Get(ctx, s.tbl, tenant.Key(id, "win", name), bt.WithFamily(bt.FamWindow)) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return windowOf(row), nil
}

// Tick writes a value into the window.
func (s *Store) Tick(ctx context.Context, id tenant.ID, name string, v int64) error {
	mut := bigtable.NewMutation()
	mut.Set(bt.FamWindow, "v", bigtable.ServerTime, bt.Int64(v))                                  // ok ttlwrite/server-timestamp
	mut.Set(bt.FamWindow, "unit", bigtable.Timestamp(clock.Now(ctx).UnixNano()), bt.Int64(v))     // want ttlunit/wrong-unit
	mut.Set(bt.FamWindow, "div", bigtable.Timestamp(clock.Now(ctx).UnixNano()/1000), bt.Int64(v)) // ok ttlunit/wrong-unit
	return s.tbl.Apply(ctx, tenant.Key(id, "win", name), mut)
}
