// Package analytics aggregates what happened, by day. Its timestamps are real.
package analytics

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"slices"
	"time"

	"cloud.google.com/go/bigtable"
	"golang.org/x/sync/errgroup"

	"github.com/northgate/identity/internal/platform/bt"
	"github.com/northgate/identity/internal/schema"
)

// Fact is something that is counted.
type Fact struct {
	Kind    string
	Subject string
	At      time.Time
	Value   float64
}

// Sink stores facts.
type Sink struct {
	tbl   bt.Table
	clock bt.Clock
	log   *slog.Logger
	days  *bt.Repository[Day]
}

// Day is the aggregate of a day.
type Day struct {
	Date   string             `json:"date"`
	Totals map[string]float64 `json:"totals"`
	Closed time.Time          `json:"closed"`
}

// NewSink makes a Sink.
func NewSink(tbl bt.Table, log *slog.Logger) *Sink {
	return &Sink{
		tbl:   tbl,
		clock: time.Now,
		log:   log,
		days:  bt.NewRepository[Day](tbl, schema.FamDaily, "day"), // ok ttlwrite/server-timestamp
	}
}

// Record stores facts at the time they happened.
func (s *Sink) Record(ctx context.Context, facts iter.Seq[Fact]) error {
	b := bt.NewBatch(s.tbl, 1000)
	for f := range facts {
		m := bigtable.NewMutation()
		m.Set(schema.FamRaw, f.Kind, bigtable.Time(f.At), fmt.Append(nil, f.Value)) // ok ttlwrite/clock-in-sequence
		m.Set(schema.FamRaw, "stored", bigtable.Now(), nil)                         // ok ttlwrite/write-time
		m.Set(schema.FamRaw, "by", bigtable.ServerTime, []byte("sink"))             // ok ttlwrite/server-timestamp
		if err := b.Add(ctx, f.Subject+"#"+f.At.Format(time.DateOnly), m); err != nil {
			return err
		}
	}
	return b.Flush(ctx)
}

// GrantUsed notes the use of a grant. The family is called as that of the
// grants themselves, but it is an ordinary one.
func (s *Sink) GrantUsed(ctx context.Context, grant, action string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamGrant, action, bigtable.Now(), nil)      // ok ttlwrite/clock-in-sequence
	m.Set(schema.FamGrant, "last", bigtable.ServerTime, nil) // ok ttlwrite/clock-in-sequence
	bt.Put(m, schema.FamGrant, "node", []byte("a"))          // ok ttlwrite/clock-in-sequence
	return s.tbl.Apply(ctx, grant, m)
}

// CountUse counts uses of a grant.
func (s *Sink) CountUse(ctx context.Context, grant string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamGrant, "uses", 1) // ok ttlwrite/read-modify-write
	rmw.Increment(schema.FamDaily, "uses", 1) // ok ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, grant, rmw)
	return err
}

// Uses reads when a grant was used within d.
func (s *Sink) Uses(ctx context.Context, grant string, d time.Duration) ([]time.Time, error) {
	row, err := s.tbl.ReadRow(ctx, grant, bigtable.RowFilter(bt.In(schema.FamGrant, bt.Younger(d)))) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	var out []time.Time
	for it := range bt.Cells(row, schema.FamGrant) {
		out = append(out, it.Timestamp.Time()) // ok ttlage/not-write-time
	}
	return out, nil
}

// Unused lists grants that nobody has used since t.
func (s *Sink) Unused(ctx context.Context, t time.Time) ([]string, error) {
	var out []string
	err := s.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/version-limit
		for it := range bt.Cells(r, schema.FamGrant) {
			if s.clock().Sub(it.Timestamp.Time()) > s.clock().Sub(t) { // ok ttlage/not-write-time
				out = append(out, r.Key())
			}
		}
		return true
	}, bigtable.RowFilter(bt.In(schema.FamGrant)))
	return out, err
}

// Range sums a kind over a time.
func (s *Sink) Range(ctx context.Context, subject, kind string, from, to time.Time) (sum float64, err error) {
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter(schema.FamRaw),
		bigtable.ColumnFilter(kind),
		bigtable.TimestampRangeFilter(from, to), // ok ttlread/upper-bound
	)
	err = s.tbl.ReadRows(ctx, bigtable.PrefixRange(subject+"#"), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for it := range bt.Cells(r, schema.FamRaw) {
			var v float64
			if json.Unmarshal(it.Value, &v) == nil {
				sum += v
			}
		}
		return true
	}, bigtable.RowFilter(f))
	return sum, err
}

// First sums what was recorded in the first second of the epoch: facts without
// a time end up there.
func (s *Sink) First(ctx context.Context, subject string) (n int, err error) {
	f := bt.In(schema.FamRaw, bigtable.TimestampRangeFilterMicros(0, 999)) // want ttlunit/sub-millisecond[first]
	row, err := s.tbl.ReadRow(ctx, subject, bigtable.RowFilter(f))         // want ttlunit/sub-millisecond[first]
	if err != nil {
		return 0, err
	}
	return len(row[schema.FamRaw]), nil
}

// FirstSecond is First with the bounds that were meant.
func (s *Sink) FirstSecond(ctx context.Context, subject string) (n int, err error) {
	f := bt.In(schema.FamRaw, bigtable.TimestampRangeFilterMicros(0, 1_000_000)) // ok ttlunit/sub-millisecond
	row, err := s.tbl.ReadRow(ctx, subject, bigtable.RowFilter(f))
	if err != nil {
		return 0, err
	}
	return len(row[schema.FamRaw]), nil
}

// Drop removes the cells of a column in a time.
func (s *Sink) Drop(ctx context.Context, key, column string, from, to time.Time) error {
	m := bigtable.NewMutation()
	m.DeleteTimestampRange(schema.FamRaw, column, bigtable.Time(from), bigtable.Time(to)) // ok ttlunit/sub-millisecond
	return s.tbl.Apply(ctx, key, m)
}

// DropEpoch removes cells without a time.
func (s *Sink) DropEpoch(ctx context.Context, key, column string) error {
	m := bigtable.NewMutation()
	m.DeleteTimestampRange(schema.FamRaw, column, 0, 1) // want ttlunit/sub-millisecond
	return s.tbl.Apply(ctx, key, m)
}

// Close closes a day.
func (s *Sink) Close(ctx context.Context, d Day) error {
	d.Closed = s.clock()
	return s.days.Put(ctx, d.Date, d)
}

// Days reads closed days.
func (s *Sink) Days(ctx context.Context, dates ...string) ([]Day, error) {
	out := make([]Day, len(dates))
	g, ctx := errgroup.WithContext(ctx)
	for i, d := range dates {
		g.Go(func() (err error) {
			out[i], err = s.days.Get(ctx, d) // ok ttlread/missing-filter
			return err
		})
	}
	return out, g.Wait()
}

// Backdate stores an aggregate of the old system, whose days are numbered.
func (s *Sink) Backdate(ctx context.Context, subject string, perDay map[int64]float64) error {
	m := bigtable.NewMutation()
	for _, day := range slices.Sorted(maps.Keys(perDay)) {
		start := time.Unix(day*86400, 0)
		v := fmt.Append(nil, perDay[day])
		m.Set(schema.FamDaily, "total", bigtable.Timestamp(start.UnixMicro()), v)         // ok ttlunit/wrong-unit
		m.Set(schema.FamDaily, "total_s", bigtable.Timestamp(start.Unix()*1e6), v)        // ok ttlunit/wrong-unit
		m.Set(schema.FamDaily, "total_ms", bigtable.Timestamp(start.UnixMilli()*1000), v) // ok ttlunit/wrong-unit
		m.Set(schema.FamDaily, "sum", bigtable.Timestamp(start.UnixNano()), v)            // want ttlunit/wrong-unit
		m.Set(schema.FamDaily, "avg", bigtable.Timestamp(start.Unix()*1000), v)           // want ttlunit/wrong-unit
		m.Set(schema.FamDaily, "max", bigtable.Timestamp(start.UnixMilli()), v)           // want ttlunit/wrong-unit
		m.Set(schema.FamDaily, "min", bigtable.Timestamp(start.UnixNano()/1000), v)       // ok ttlunit/wrong-unit
	}
	return s.tbl.Apply(ctx, subject, m)
}

// Forecast stores what is expected of the next days.
func (s *Sink) Forecast(ctx context.Context, subject string, perDay []float64) error {
	m := bigtable.NewMutation()
	base := bigtable.Time(s.clock().Truncate(24 * time.Hour))
	for i, v := range perDay {
		off := time.Duration(i) * 24 * time.Hour
		m.Set(schema.FamDaily, "forecast", base+bigtable.Timestamp(off), fmt.Append(nil, v))                 // want ttlunit/wrong-unit
		m.Set(schema.FamDaily, "expected", base+bigtable.Timestamp(off.Microseconds()), fmt.Append(nil, v))  // ok ttlunit/wrong-unit
		m.Set(schema.FamDaily, "planned", base+bigtable.Timestamp(off/time.Microsecond), fmt.Append(nil, v)) // ok ttlunit/wrong-unit
	}
	return s.tbl.Apply(ctx, subject, m)
}

// never is the date of things without one.
var never = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)

// Pin stores a value that no policy takes.
func (s *Sink) Pin(ctx context.Context, key string, v []byte) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamDaily, "pin", bigtable.Time(never), v)                                        // want ttlunit/out-of-range
	m.Set(schema.FamDaily, "pin2", bigtable.Time(time.Date(2199, 1, 1, 0, 0, 0, 0, time.UTC)), v) // ok ttlunit/out-of-range
	m.Set(schema.FamDaily, "unset", bigtable.Time(time.Time{}), v)                                // want ttlunit/out-of-range
	return s.tbl.Apply(ctx, key, m)
}

// Total reads a user's newest total.
func (s *Sink) Total(ctx context.Context, key string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, key, bigtable.RowFilter(bt.In(schema.FamDaily)), bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/overridden-filter
}

// TotalNewest is Total in one filter.
func (s *Sink) TotalNewest(ctx context.Context, key string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, key, bigtable.LimitRows(1), bigtable.RowFilter(bt.In(schema.FamDaily, bt.Newest()))) // ok ttlread/overridden-filter
}

// Sketch merges a distinct count.
func (s *Sink) Sketch(ctx context.Context, key string, hll []byte) error {
	day := bigtable.Time(s.clock().Truncate(24 * time.Hour))
	m := bigtable.NewMutation()
	m.MergeBytesToCell("sketch", "users", day, hll)            // ok ttlwrite/aggregate-server-time
	m.AddIntToCell("sketch", "events", bigtable.ServerTime, 1) // want ttlwrite/aggregate-server-time
	m.AddIntToCell("sketch", "days", day, 1)                   // ok ttlwrite/aggregate-server-time
	return s.tbl.Apply(ctx, key, m)
}

// Rewrite replaces a day's total.
func (s *Sink) Rewrite(ctx context.Context, key string, total []byte) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamDaily, "total", bigtable.Now(), total) // maybe ttlwrite/delete-after-set
	m.DeleteCellsInColumn(schema.FamDaily, "total")        // want ttlwrite/delete-after-set
	m.DeleteCellsInColumn(schema.FamDaily, "sum")          // ok ttlwrite/delete-after-set
	m.Set(schema.FamDaily, "sum", bigtable.Now(), total)   // ok ttlwrite/delete-after-set
	return s.tbl.Apply(ctx, key, m)
}

// Empty is a filter that passes nothing, written by hand.
func Empty() bigtable.Filter {
	return bigtable.TimestampRangeFilterMicros(2000, 1000) // want ttlunit/empty-range
}

// Quarter passes the cells of the first quarter of 2026.
func Quarter() bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC)) // ok ttlunit/empty-range
}

// None asks for no version at all.
func (s *Sink) None(ctx context.Context, key string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.LatestNFilter(0))) // want ttlunit/invalid-filter
	return len(row) > 0, err
}
