package telemetry

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"
	"golang.org/x/sync/errgroup"

	"example.com/gridwatch/internal/bus"
	"example.com/gridwatch/internal/events"
	"example.com/gridwatch/internal/store"
)

// Point is one value of a series.
type Point struct {
	At    time.Time
	Value float64
}

// Series are the points of one sensor.
type Series struct {
	Sensor    string
	Points    []Point
	Oldest    time.Duration
	UpdatedAt time.Time
	ExpiresAt time.Time
}

// Querier reads telemetry.
type Querier struct {
	tbl   *bigtable.Table
	clock store.Clock
}

// NewQuerier returns a querier.
func NewQuerier(t *store.Tables) *Querier {
	return &Querier{tbl: t.Telemetry, clock: time.Now}
}

// liveRaw lets the samples pass that the default lifetime has not ended.
func liveRaw() bigtable.Filter {
	return bigtable.ChainFilters(
		bigtable.FamilyFilter(store.FamRaw),
		bigtable.TimestampRangeFilter(time.Now().Add(-store.RawTTL), time.Time{}),
	)
}

// Today returns the live samples of one sensor.
func (q *Querier) Today(ctx context.Context, device, sensor string) (*Series, error) {
	key := Sample{Reading: events.Reading{Device: device, Sensor: sensor, TakenAt: q.clock()}}.Key()
	row, err := q.tbl.ReadRow(ctx, key, bigtable.RowFilter(liveRaw())) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	s := &Series{Sensor: sensor}
	for _, it := range row[store.FamRaw] {
		if it.Column != "raw:v" {
			continue
		}
		s.Points = append(s.Points, Point{Value: decode(it.Value)})
		if age := time.Since(it.Timestamp.Time()); age > s.Oldest { // want ttlage/not-write-time
			s.Oldest = age
		}
		s.UpdatedAt = it.Timestamp.Time()                   // want ttlage/not-write-time
		s.ExpiresAt = it.Timestamp.Time().Add(store.RawTTL) // ok ttlage/not-write-time
	}
	return s, nil
}

// Rolled returns the rollups of one sensor; those are ordinary cells.
func (q *Querier) Rolled(ctx context.Context, device, sensor string) (*Series, error) {
	key := Sample{Reading: events.Reading{Device: device, Sensor: sensor, TakenAt: q.clock()}}.Key()
	row, err := q.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter(store.FamRollup))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	s := &Series{Sensor: sensor}
	for _, it := range row[store.FamRollup] {
		if it.Column != "rollup:mean" {
			continue
		}
		s.Points = append(s.Points, Point{At: it.Timestamp.Time(), Value: decode(it.Value)})
		if age := time.Since(it.Timestamp.Time()); age > s.Oldest { // ok ttlage/not-write-time
			s.Oldest = age
		}
		s.UpdatedAt = it.Timestamp.Time() // ok ttlage/not-write-time
	}
	return s, nil
}

// Latest returns the newest value of every sensor of a device.
func (q *Querier) Latest(ctx context.Context, device string) (map[string]float64, error) {
	out := map[string]float64{}
	f := bigtable.ChainFilters(bigtable.FamilyFilter(store.FamRaw), bigtable.ColumnFilter("v"), bigtable.LatestNFilter(1)) // want ttlread/missing-filter[latest]
	err := q.tbl.ReadRows(ctx, bigtable.PrefixRange(events.ReverseKey(device)+"#"), func(row bigtable.Row) bool {          // want ttlread/missing-filter[latest]
		parts := strings.Split(row.Key(), "#")
		if len(parts) != 3 {
			return true
		}
		for _, it := range row[store.FamRaw] {
			out[parts[1]] = decode(it.Value)
		}
		return true
	}, bigtable.RowFilter(f)) // want ttlread/missing-filter[latest]
	return out, err
}

// LatestLive is Latest for the live samples.
func (q *Querier) LatestLive(ctx context.Context, device string) (map[string]float64, error) {
	out := map[string]float64{}
	f := bigtable.ChainFilters(liveRaw(), bigtable.ColumnFilter("v"), bigtable.LatestNFilter(1))
	err := q.tbl.ReadRows(ctx, bigtable.PrefixRange(events.ReverseKey(device)+"#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		if parts := strings.Split(row.Key(), "#"); len(parts) == 3 {
			for _, it := range row[store.FamRaw] {
				out[parts[1]] = decode(it.Value)
			}
		}
		return true
	}, bigtable.RowFilter(f))
	return out, err
}

// Fresh was copied from the sessions package.
func (q *Querier) Fresh(ctx context.Context, key string) ([]Point, error) {
	row, err := q.tbl.ReadRow(ctx, key, bigtable.RowFilter(store.LiveFamily(store.FamRaw))) // want ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return points(row[store.FamRaw]), nil
}

// LastDay narrows by time and so loses what was given a short life.
func (q *Querier) LastDay(ctx context.Context, key string) ([]Point, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(store.FamRaw), store.Within(24*time.Hour)) // want ttlread/wrong-bound[lastday]
	row, err := q.tbl.ReadRow(ctx, key, bigtable.RowFilter(f))                                  // want ttlread/wrong-bound[lastday]
	if err != nil {
		return nil, err
	}
	return points(row[store.FamRaw]), nil
}

// LastWeek has the registered bound.
func (q *Querier) LastWeek(ctx context.Context, key string) ([]Point, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(store.FamRaw), store.Within(7*24*time.Hour))
	row, err := q.tbl.ReadRow(ctx, key, bigtable.RowFilter(f)) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return points(row[store.FamRaw]), nil
}

// RolledDay narrows rollups, which have real timestamps.
func (q *Querier) RolledDay(ctx context.Context, key string) ([]Point, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(store.FamRollup), store.Within(24*time.Hour))
	row, err := q.tbl.ReadRow(ctx, key, bigtable.RowFilter(f)) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return points(row[store.FamRollup]), nil
}

// UpToNow leaves out the samples that live longer than a week.
func (q *Querier) UpToNow(ctx context.Context, key string) ([]Point, error) {
	now := q.clock()
	f := bigtable.ChainFilters(bigtable.FamilyFilter(store.FamRaw), bigtable.TimestampRangeFilter(now.Add(-store.RawTTL), now)) // want ttlread/upper-bound[uptonow]
	row, err := q.tbl.ReadRow(ctx, key, bigtable.RowFilter(f))                                                                  // want ttlread/upper-bound[uptonow]
	if err != nil {
		return nil, err
	}
	return points(row[store.FamRaw]), nil
}

// Old returns only what is to be collected.
func (q *Querier) Old(ctx context.Context, key string) ([]Point, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(store.FamRaw), bigtable.TimestampRangeFilter(time.Time{}, q.clock().Add(-store.RawTTL))) // want ttlread/expired-only[old]
	row, err := q.tbl.ReadRow(ctx, key, bigtable.RowFilter(f))                                                                                // want ttlread/expired-only[old]
	if err != nil {
		return nil, err
	}
	return points(row[store.FamRaw]), nil
}

// SinceBoot believes that the process was started a moment ago.
func (q *Querier) SinceBoot(ctx context.Context, key string) ([]Point, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(store.FamRaw), bigtable.TimestampRangeFilter(bootedAt.Add(-store.RawTTL), time.Time{})) // want ttlread/stale-bound[sinceboot]
	row, err := q.tbl.ReadRow(ctx, key, bigtable.RowFilter(f))                                                                               // want ttlread/stale-bound[sinceboot]
	if err != nil {
		return nil, err
	}
	return points(row[store.FamRaw]), nil
}

// Window is a query window over the rollups.
func (q *Querier) Window(ctx context.Context, key string, from, to time.Time) ([]Point, error) {
	row, err := q.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(store.FamRollup), bigtable.TimestampRangeFilter(from, to)))) // ok ttlread/upper-bound
	if err != nil {
		return nil, err
	}
	return points(row[store.FamRollup]), nil
}

// Device returns everything of one row, raw and rolled.
func (q *Querier) Device(ctx context.Context, key string) (bigtable.Row, error) {
	return q.tbl.ReadRow(ctx, key) // want ttlread/missing-filter
}

// DeviceLive is Device with each family by its own rule.
func (q *Querier) DeviceLive(ctx context.Context, key string) (bigtable.Row, error) {
	return q.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.InterleaveFilters(liveRaw(), bigtable.FamilyFilter(store.FamRollup)))) // ok ttlread/unfiltered-branch
}

// Picky prefers raw samples that are alive, or so its author thought.
func (q *Querier) Picky(ctx context.Context, key string) ([]Point, error) {
	f := bigtable.ConditionFilter(liveRaw(), bigtable.FamilyFilter(store.FamRaw), bigtable.BlockAllFilter()) // want ttlread/unfiltered-branch[picky]
	row, err := q.tbl.ReadRow(ctx, key, bigtable.RowFilter(f))                                               // want ttlread/unfiltered-branch[picky]
	if err != nil {
		return nil, err
	}
	return points(row[store.FamRaw]), nil
}

// Choosy is Picky with the filter where it counts.
func (q *Querier) Choosy(ctx context.Context, key string) ([]Point, error) {
	f := bigtable.ConditionFilter(bigtable.ColumnFilter("offset"), liveRaw(), bigtable.BlockAllFilter())
	row, err := q.tbl.ReadRow(ctx, key, bigtable.RowFilter(f)) // ok ttlread/unfiltered-branch
	if err != nil {
		return nil, err
	}
	return points(row[store.FamRaw]), nil
}

// Checked filters by hand.
func (q *Querier) Checked(ctx context.Context, key string) ([]Point, error) {
	row, err := q.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter(store.FamRaw))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	cutoff := bigtable.Time(q.clock().Add(-store.RawTTL))
	var live []bigtable.ReadItem
	for _, it := range row[store.FamRaw] {
		if it.Timestamp >= cutoff {
			live = append(live, it)
		}
	}
	return points(live), nil
}

func points(items []bigtable.ReadItem) []Point {
	var out []Point
	for _, it := range items {
		if strings.HasSuffix(it.Column, ":v") {
			out = append(out, Point{Value: decode(it.Value)})
		}
	}
	return out
}

// Fan reads many rows at once and merges what comes back.
func (q *Querier) Fan(ctx context.Context, keys []string) (map[string][]Point, error) {
	var (
		mu  sync.Mutex
		out = map[string][]Point{}
	)
	eg, ctx := errgroup.WithContext(ctx)
	eg.SetLimit(8)
	for _, key := range keys {
		eg.Go(func() error {
			row, err := q.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ColumnFilter("v"))) // want ttlread/missing-filter
			if err != nil {
				return fmt.Errorf("fan %s: %w", key, err)
			}
			mu.Lock()
			defer mu.Unlock()
			out[key] = points(row[store.FamRaw])
			return nil
		})
	}
	return out, eg.Wait()
}

// FanLive is Fan for live samples.
func (q *Querier) FanLive(ctx context.Context, keys <-chan string, out chan<- []Point) error {
	return bus.Each(ctx, 8, keys, func(ctx context.Context, key string) error {
		row, err := q.tbl.ReadRow(ctx, key, bigtable.RowFilter(liveRaw())) // ok ttlread/missing-filter
		if err != nil {
			return err
		}
		out <- points(row[store.FamRaw])
		return nil
	})
}

// Export streams rows of raw samples into a channel; the consumer gets whole rows.
func (q *Querier) Export(ctx context.Context, prefix string, rows chan<- bigtable.Row) error {
	defer close(rows)
	return q.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // want ttlread/missing-filter[export]
		select {
		case rows <- row:
			return true
		case <-ctx.Done():
			return false
		}
	}, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter[export]
}

// ExportRolled streams the rollups.
func (q *Querier) ExportRolled(ctx context.Context, prefix string, rows chan<- bigtable.Row) error {
	defer close(rows)
	return q.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		select {
		case rows <- row:
			return true
		case <-ctx.Done():
			return false
		}
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(store.FamRollup), bigtable.LatestNFilter(1))))
}

// Prune deletes rows of a device that is gone, whatever they hold.
func (q *Querier) Prune(ctx context.Context, prefix string) error {
	return q.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		mut := bigtable.NewMutation()
		mut.DeleteRow()
		return q.tbl.Apply(ctx, row.Key(), mut) == nil
	})
}

// Top sorts sensors by their last value.
func Top(latest map[string]float64, n int) []string {
	names := make([]string, 0, len(latest))
	for s := range latest {
		names = append(names, s)
	}
	sort.Slice(names, func(i, j int) bool { return latest[names[i]] > latest[names[j]] })
	if len(names) > n {
		names = names[:n]
	}
	return names
}
