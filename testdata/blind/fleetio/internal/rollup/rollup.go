// Package rollup keeps telemetry by the minute and by the hour. Each tenant has a
// table of its own.
package rollup

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/fleetio/internal/btutil"
	"example.com/fleetio/internal/clockutil"
	"example.com/fleetio/internal/keys"
	"example.com/fleetio/internal/logx"
)

// How long things are kept unless said otherwise.
const (
	MinuteTTL = 14 * 24 * time.Hour
	HourTTL   = 90 * 24 * time.Hour
)

// Sample is one measurement.
type Sample struct {
	Device string    `json:"device"`
	Metric string    `json:"metric"`
	Value  float64   `json:"value"`
	At     time.Time `json:"at"`
}

// Cell is an aggregate.
type Cell struct {
	N             int64
	Min, Max, Sum float64
	WrittenAt     time.Time
}

func (c *Cell) add(v float64) {
	if c.N == 0 || v < c.Min {
		c.Min = v
	}
	if c.N == 0 || v > c.Max {
		c.Max = v
	}
	c.N++
	c.Sum += v
}

type cellKey struct {
	row, col string
}

// Store is the table of a tenant and what has not been written yet.
type Store struct {
	tbl *bigtable.Table
	log *logx.Logger

	mu   sync.Mutex
	min  map[cellKey]*Cell
	hour map[cellKey]*Cell
}

// New opens a tenant's table.
func New(c *bigtable.Client, table string, log *logx.Logger) *Store {
	return &Store{tbl: c.Open(table), log: log, min: map[cellKey]*Cell{}, hour: map[cellKey]*Cell{}}
}

// Consume takes samples from a channel and writes them every so often.
func (s *Store) Consume(ctx context.Context, in <-chan Sample, every time.Duration) error {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case x, ok := <-in:
			if !ok {
				return s.Flush(ctx)
			}
			s.add(x)
		case <-t.C:
			if err := s.Flush(ctx); err != nil {
				s.log.Error("flush", err, nil)
			}
		case <-ctx.Done():
			return s.Flush(context.WithoutCancel(ctx))
		}
	}
}

func (s *Store) add(x Sample) {
	s.mu.Lock()
	defer s.mu.Unlock()
	row := keys.Bucket(x.Device, x.At)
	for _, p := range []struct {
		m   map[cellKey]*Cell
		col string
	}{
		{s.min, x.Metric + "." + keys.MinuteCol(clockutil.Minute(x.At))},
		{s.hour, x.Metric + "." + keys.HourCol(clockutil.Hour(x.At))},
	} {
		k := cellKey{row, p.col}
		if p.m[k] == nil {
			p.m[k] = new(Cell)
		}
		p.m[k].add(x.Value)
	}
}

// put writes a cell of a family.
func put(m *bigtable.Mutation, fam, col string, ts bigtable.Timestamp, c *Cell) {
	b, _ := json.Marshal(c)
	m.Set(fam, col, ts, b)
}

// Flush writes what has been collected.
func (s *Store) Flush(ctx context.Context) error {
	s.mu.Lock()
	min, hour := s.min, s.hour
	s.min, s.hour = map[cellKey]*Cell{}, map[cellKey]*Cell{}
	s.mu.Unlock()
	buf := btutil.NewBuffer(s.tbl, 1000)
	var errs []error
	for k, c := range min {
		m := bigtable.NewMutation()
		put(m, keys.FamMinute, k.col, bigtable.Now(), c) // ok ttlwrite/write-time
		errs = append(errs, buf.Add(ctx, k.row, m))
	}
	for k, c := range hour {
		m := bigtable.NewMutation()
		put(m, keys.FamHour, k.col, bigtable.ServerTime, c) // ok ttlwrite/server-timestamp
		errs = append(errs, buf.Add(ctx, k.row, m))
	}
	errs = append(errs, buf.Flush(ctx))
	return errors.Join(errs...)
}

// Backfill writes an aggregate of the past, which is kept for as long as it would have been.
func (s *Store) Backfill(ctx context.Context, dev, metric string, at time.Time, c Cell) error {
	m := bigtable.NewMutation()
	put(m, keys.FamHour, metric+"."+keys.HourCol(at), bigtable.Time(at), &c)                                // ok ttlwrite/already-expired
	put(m, keys.FamMinute, metric+".src", bigtable.Timestamp(at.Unix()), &c)                                // want ttlunit/wrong-unit
	put(m, keys.FamAgg, metric+".n", bigtable.Timestamp(at.UnixNano()), &c)                                 // want ttlunit/wrong-unit
	put(m, keys.FamAgg, metric+".u", bigtable.Timestamp(at.UnixNano()/1000), &c)                            // ok ttlunit/wrong-unit
	put(m, keys.FamAgg, metric+".s", bigtable.Timestamp(at.Unix()*1e6), &c)                                 // ok ttlunit/wrong-unit
	put(m, keys.FamMinute, metric+".epoch", bigtable.Time(time.Date(2019, 1, 1, 0, 0, 0, 0, time.UTC)), &c) // want ttlwrite/already-expired
	return s.tbl.Apply(ctx, keys.Bucket(dev, at), m)
}

// Pin keeps a minute for d longer than usual.
func (s *Store) Pin(ctx context.Context, dev, col string, day time.Time, d time.Duration, c Cell) error {
	m := bigtable.NewMutation()
	put(m, keys.FamMinute, col, bigtable.Now()+bigtable.Timestamp(d), &c)                         // want ttlunit/wrong-unit
	put(m, keys.FamHour, col, bigtable.Now()+bigtable.Timestamp(d.Microseconds()), &c)            // ok ttlunit/wrong-unit
	put(m, keys.FamMinute, col+".pin", bigtable.Now()+bigtable.Timestamp(d/time.Microsecond), &c) // ok ttlunit/wrong-unit
	return s.tbl.Apply(ctx, keys.Bucket(dev, day), m)
}

// Add counts without reading, in a family of the aggregate type.
func (s *Store) Add(ctx context.Context, dev, col string, day time.Time, n int64) error {
	m := bigtable.NewMutation()
	m.AddIntToCell(keys.FamAgg, col, bigtable.ServerTime, n)                    // want ttlwrite/aggregate-server-time
	m.AddIntToCell(keys.FamAgg, col+".d", bigtable.Time(clockutil.Day(day)), n) // ok ttlwrite/aggregate-server-time
	return s.tbl.Apply(ctx, keys.Bucket(dev, day), m)
}

func cells(row bigtable.Row, fam string) map[string]Cell {
	out := map[string]Cell{}
	for _, it := range row[fam] {
		var c Cell
		if json.Unmarshal(it.Value, &c) == nil {
			out[it.Column] = c
		}
	}
	return out
}

// Minutes reads a day by the minute.
func (s *Store) Minutes(ctx context.Context, dev string, day time.Time) (map[string]Cell, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(keys.FamMinute), btutil.Within(time.Now(), MinuteTTL), bigtable.LatestNFilter(1))
	row, err := s.tbl.ReadRow(ctx, keys.Bucket(dev, day), bigtable.RowFilter(f)) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return cells(row, keys.FamMinute), nil
}

// Hours reads a day by the hour.
func (s *Store) Hours(ctx context.Context, dev string, day time.Time) (map[string]Cell, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(keys.FamHour), btutil.Within(time.Now(), MinuteTTL), bigtable.LatestNFilter(1)) // want ttlread/wrong-bound[hours]
	row, err := s.tbl.ReadRow(ctx, keys.Bucket(dev, day), bigtable.RowFilter(f))                                                     // want ttlread/wrong-bound[hours]
	if err != nil {
		return nil, err
	}
	return cells(row, keys.FamHour), nil
}

// Totals reads the aggregates of a day.
func (s *Store) Totals(ctx context.Context, dev string, day time.Time) (map[string]Cell, error) {
	row, err := btutil.Get(ctx, s.tbl, keys.Bucket(dev, day), bigtable.FamilyFilter(keys.FamAgg)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return cells(row, keys.FamAgg), nil
}

// Month sums up the hours of a month.
func (s *Store) Month(ctx context.Context, dev string) (Cell, error) {
	var sum Cell
	err := btutil.Scan(ctx, s.tbl, dev+"#", nil, func(r bigtable.Row) bool { // want ttlread/missing-filter
		for _, c := range cells(r, keys.FamHour) {
			sum.N += c.N
			sum.Sum += c.Sum
		}
		return true
	})
	return sum, err
}

// Both reads minutes and hours of a day, each by its own rule.
func (s *Store) Both(ctx context.Context, dev string, day time.Time) (bigtable.Row, error) {
	now := time.Now()
	f := bigtable.InterleaveFilters(
		bigtable.ChainFilters(bigtable.FamilyFilter(keys.FamMinute), btutil.Within(now, MinuteTTL)),
		bigtable.ChainFilters(bigtable.FamilyFilter(keys.FamHour), btutil.Within(now, HourTTL)),
		bigtable.FamilyFilter(keys.FamAgg),
	)
	return s.tbl.ReadRow(ctx, keys.Bucket(dev, day), bigtable.RowFilter(f)) // ok ttlread/unfiltered-branch ttlread/wrong-bound
}

// Fresh says when a device's aggregates were last written.
func (s *Store) Fresh(ctx context.Context, dev string, day time.Time) (*Cell, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(keys.FamMinute), btutil.Within(time.Now(), MinuteTTL), bigtable.CellsPerRowLimitFilter(1))
	row, err := s.tbl.ReadRow(ctx, keys.Bucket(dev, day), bigtable.RowFilter(f)) // ok ttlread/limit-before-filter
	if err != nil {
		return nil, err
	}
	for _, it := range row[keys.FamMinute] {
		return &Cell{WrittenAt: it.Timestamp.Time()}, nil // want ttlage/not-write-time
	}
	return nil, nil
}

// Peek samples a device's first cells.
func (s *Store) Peek(ctx context.Context, dev string) ([]byte, error) {
	var out []byte
	f := bigtable.ChainFilters(bigtable.FamilyFilter(keys.FamMinute), bigtable.CellsPerRowOffsetFilter(1), btutil.Within(time.Now(), MinuteTTL)) // want ttlread/limit-before-filter[peek]
	err := btutil.Scan(ctx, s.tbl, dev+"#", f, func(r bigtable.Row) bool {                                                                       // want ttlread/limit-before-filter[peek]
		for _, it := range r[keys.FamMinute] {
			out = append(out, it.Value...)
		}
		return true
	})
	return out, err
}

// Trim removes minutes of before a moment.
func (s *Store) Trim(ctx context.Context, dev, col string, day time.Time) error {
	m := bigtable.NewMutation()
	m.DeleteTimestampRange(keys.FamMinute, col, 0, 500)                                          // want ttlunit/sub-millisecond
	m.DeleteTimestampRange(keys.FamHour, col, 0, bigtable.Time(clockutil.Day(day)))              // ok ttlunit/sub-millisecond
	m.DeleteTimestampRange(keys.FamAgg, col, bigtable.Timestamp(1000), bigtable.Timestamp(5000)) // ok ttlunit/empty-range
	return s.tbl.Apply(ctx, keys.Bucket(dev, day), m)
}
