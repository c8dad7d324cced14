// Package telemetry keeps what clients and servers report of themselves.
//
// Its table has the same family names as others, since the reports are of
// those; but all its families are ordinary ones, with the time of the report
// as timestamp. ttlvet.yaml does not have it.
package telemetry

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/guild/internal/kit"
	"example.com/guild/schema"
)

// Sample is one measurement.
type Sample struct {
	Name  string    `json:"name"`
	Value float64   `json:"value"`
	At    time.Time `json:"at"`
}

// Window is a span of time, both ends included.
type Window struct {
	From, To time.Time
}

// Last returns the window of the last d.
func Last(d time.Duration) Window {
	now := time.Now()
	return Window{From: now.Add(-d), To: now}
}

// Sink stores measurements.
type Sink struct {
	tbl *bigtable.Table
	seq int64
}

// New returns the sink of the telemetry table.
func New(client *bigtable.Client) *Sink {
	return &Sink{tbl: client.Open(schema.Telemetry)}
}

// Token reports what happened to a session's token.
func (s *Sink) Token(ctx context.Context, player, what string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamToken, what, bigtable.Now(), nil)                 // ok ttlwrite/write-time
	m.Set(schema.FamToken, "last", bigtable.ServerTime, []byte(what)) // ok ttlwrite/server-timestamp
	return s.tbl.Apply(ctx, player, m)
}

// Phase reports the state of a lobby or of a match.
func (s *Sink) Phase(ctx context.Context, id, phase string) error {
	return kit.PutCell(ctx, s.tbl, id, kit.Cell{Family: schema.FamState, Column: phase, At: bigtable.Now(), Value: nil}) // ok ttlwrite/clock-in-sequence ttlwrite/write-time
}

// Event reports an event.
func (s *Sink) Event(ctx context.Context, id, kind string) error {
	s.seq++
	m := bigtable.NewMutation()
	m.Set(schema.FamEvent, kind, bigtable.Time(time.Now()), kit.PutInt64(s.seq)) // ok ttlwrite/clock-in-sequence
	return s.tbl.Apply(ctx, id, m)
}

// Gauge stores the current value of a gauge.
func (s *Sink) Gauge(ctx context.Context, id string, v float64) error {
	b, err := json.Marshal(Sample{Name: id, Value: v, At: time.Now()})
	if err != nil {
		return err
	}
	return kit.PutCell(ctx, s.tbl, id, kit.Cell{Family: schema.FamCur, Column: "gauge", At: bigtable.Now(), Value: b}) // ok ttlwrite/clock-in-zero
}

// Incr counts.
func (s *Sink) Incr(ctx context.Context, id, name string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamState, name, 1)                     // ok ttlwrite/read-modify-write
	rmw.AppendValue(schema.FamToken, "trail", []byte(name+",")) // ok ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, id, rmw)
	return err
}

// Sum adds to an aggregate of the day.
func (s *Sink) Sum(ctx context.Context, id string, n int64) error {
	m := bigtable.NewMutation()
	m.AddIntToCell(schema.FamCur, "sum", bigtable.Time(time.Now().UTC().Truncate(24*time.Hour)), n) // ok ttlwrite/aggregate-server-time
	return s.tbl.Apply(ctx, id, m)
}

// SumTotal adds to an aggregate that never ends.
func (s *Sink) SumTotal(ctx context.Context, id string, n int64) error {
	m := bigtable.NewMutation()
	m.AddIntToCell(schema.FamCur, "total", bigtable.ServerTime, n) // want ttlwrite/aggregate-server-time
	return s.tbl.Apply(ctx, id, m)
}

// Sketch merges the players of an hour into the day's sketch.
func (s *Sink) Sketch(ctx context.Context, id string, hll []byte) error {
	m := bigtable.NewMutation()
	m.MergeBytesToCell(schema.FamCur, "players", 0, hll)                    // ok ttlwrite/aggregate-server-time
	m.MergeBytesToCell(schema.FamCur, "visitors", bigtable.ServerTime, hll) // want ttlwrite/aggregate-server-time
	return s.tbl.Apply(ctx, id, m)
}

// Import stores samples of a client, whose clock counts in milliseconds.
func (s *Sink) Import(ctx context.Context, id string, samples []Sample) error {
	m := bigtable.NewMutation()
	for _, sm := range samples {
		b, err := json.Marshal(sm)
		if err != nil {
			return err
		}
		m.Set(schema.FamEvent, sm.Name, bigtable.Timestamp(sm.At.UnixMilli()), b)      // want ttlunit/wrong-unit
		m.Set(schema.FamState, sm.Name, bigtable.Timestamp(sm.At.UnixMilli()*1000), b) // ok ttlunit/wrong-unit
	}
	return s.tbl.Apply(ctx, id, m)
}

// ImportSeconds stores samples of the consoles, whose clocks count in seconds.
func (s *Sink) ImportSeconds(ctx context.Context, id string, at time.Time, b []byte) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamEvent, "console", bigtable.Timestamp(at.Unix()*1000), b)      // want ttlunit/wrong-unit
	m.Set(schema.FamState, "console", bigtable.Timestamp(at.Unix()*1000*1000), b) // ok ttlunit/wrong-unit
	return s.tbl.Apply(ctx, id, m)
}

// Delay stores a sample a while ahead, for the schedulers.
func (s *Sink) Delay(ctx context.Context, id string, d time.Duration) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamEvent, "due", bigtable.Now()+bigtable.Timestamp(d), nil)                   // want ttlunit/wrong-unit
	m.Set(schema.FamEvent, "due2", bigtable.Now()+bigtable.Timestamp(d/time.Microsecond), nil) // ok ttlunit/wrong-unit
	return s.tbl.Apply(ctx, id, m)
}

// Undated stores a sample that has no time.
func (s *Sink) Undated(ctx context.Context, id string, b []byte) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamEvent, "undated", bigtable.Time(time.Time{}), b)     // want ttlunit/out-of-range
	m.Set(schema.FamState, "undated", bigtable.Time(time.Unix(0, 0)), b) // ok ttlunit/out-of-range
	return s.tbl.Apply(ctx, id, m)
}

// Tokens returns what happened to a player's tokens.
func (s *Sink) Tokens(ctx context.Context, player string) ([]string, error) {
	row, err := s.tbl.ReadRow(ctx, player, bigtable.RowFilter(kit.OfFamily(schema.FamToken))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []string
	for _, item := range row[schema.FamToken] {
		out = append(out, fmt.Sprintf("%s ago: %s", time.Since(item.Timestamp.Time()).Round(time.Second), item.Column)) // ok ttlage/not-write-time
	}
	return out, nil
}

// States returns the states that a match or lobby reported within a window.
func (s *Sink) States(ctx context.Context, id string, w Window) (map[string]time.Time, error) {
	f := kit.OfFamily(schema.FamState, bigtable.TimestampRangeFilter(w.From, w.To)) // ok ttlread/wrong-bound ttlread/upper-bound
	row, err := s.tbl.ReadRow(ctx, id, bigtable.RowFilter(f))                       // ok ttlread/version-limit ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	updated := map[string]time.Time{}
	for _, item := range row[schema.FamState] {
		updated[item.Column] = item.Timestamp.Time() // ok ttlage/not-write-time
	}
	return updated, nil
}

// Before returns the events before a moment.
func (s *Sink) Before(ctx context.Context, id string, t time.Time) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, id, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Time{}, t))) // ok ttlread/expired-only ttlread/missing-filter
}

// Upto returns the events up to now.
func (s *Sink) Upto(ctx context.Context, id string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, id, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Time{}, time.Now()))) // ok ttlread/expired-only ttlread/hides-other-families
}

// Zeroth returns cells that were written without a time, which have the first
// half of a millisecond.
func (s *Sink) Zeroth(ctx context.Context, id string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, id, bigtable.RowFilter(bigtable.TimestampRangeFilterMicros(0, 500))) // want ttlunit/sub-millisecond
}

// ZerothMilli is Zeroth for a whole millisecond.
func (s *Sink) ZerothMilli(ctx context.Context, id string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, id, bigtable.RowFilter(bigtable.TimestampRangeFilterMicros(0, 1000))) // ok ttlunit/sub-millisecond ttlunit/empty-range
}

// DropUndated deletes cells that were written without a time.
func (s *Sink) DropUndated(ctx context.Context, id string) error {
	m := bigtable.NewMutation()
	m.DeleteTimestampRange(schema.FamEvent, "undated", 0, 999)  // want ttlunit/sub-millisecond
	m.DeleteTimestampRange(schema.FamState, "undated", 0, 1000) // ok ttlunit/sub-millisecond
	return s.tbl.Apply(ctx, id, m)
}

// Exactly returns the cells of the moment at which the first season began.
func (s *Sink) Exactly(ctx context.Context, id string) (bigtable.Row, error) {
	const begin = bigtable.Timestamp(1551398400_000_000)
	if id == "" {
		return s.tbl.ReadRow(ctx, "season", bigtable.RowFilter(bigtable.TimestampRangeFilterMicros(begin, begin+1000))) // ok ttlunit/empty-range ttlunit/sub-millisecond
	}
	return s.tbl.ReadRow(ctx, id, bigtable.RowFilter(bigtable.TimestampRangeFilterMicros(begin, begin))) // want ttlunit/empty-range
}

// Newest returns the newest n cells of every column.
func (s *Sink) Newest(ctx context.Context, id string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, id, bigtable.RowFilter(bigtable.LatestNFilter(0))) // want ttlunit/invalid-filter
}

// NewestOne returns the newest cell of every column.
func (s *Sink) NewestOne(ctx context.Context, id string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, id, bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlunit/invalid-filter ttlread/missing-filter
}

// Columns returns the cells of some columns.
func (s *Sink) Columns(ctx context.Context, id string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, id, bigtable.RowFilter(bigtable.ChainFilters(bigtable.ColumnFilter("gauge|console")))) // want ttlunit/invalid-filter
}

// Gauges returns the gauges of a prefix.
func (s *Sink) Gauges(ctx context.Context, prefix string) ([]Sample, error) {
	var out []Sample
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // want ttlread/overridden-filter[gauges]
		for _, item := range row[schema.FamCur] {
			sm, err := kit.JSON[Sample]{}.Decode(item.Value)
			if err == nil {
				out = append(out, sm)
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(schema.FamCur)), bigtable.LimitRows(50), bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/overridden-filter[gauges]
	return out, err
}

// GaugesOnce is Gauges with one filter.
func (s *Sink) GaugesOnce(ctx context.Context, prefix string) ([]Sample, error) {
	var out []Sample
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // ok ttlread/overridden-filter ttlread/missing-filter
		for _, item := range row[schema.FamCur] {
			sm, err := kit.JSON[Sample]{}.Decode(item.Value)
			if err == nil {
				out = append(out, sm)
			}
		}
		return true
	}, bigtable.LimitRows(50), bigtable.RowFilter(kit.OfFamily(schema.FamCur, bigtable.LatestNFilter(1)))) // ok ttlread/overridden-filter
	return out, err
}

// Unstamped counts the cells of a row that the server stamped.
func (s *Sink) Unstamped(ctx context.Context, id string) (int, error) {
	row, err := s.tbl.ReadRow(ctx, id) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	var n int
	for _, item := range row[schema.FamEvent] {
		if item.Timestamp == bigtable.ServerTime { // want ttlage/server-sentinel
			n++
		}
		if item.Timestamp > bigtable.Now() { // ok ttlage/server-sentinel
			n++
		}
	}
	return n, nil
}

// First stores a report unless there is one.
func (s *Sink) First(ctx context.Context, id string, b []byte) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamToken, "first", bigtable.Now(), b)                                            // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, id, bigtable.NewCondMutation(bigtable.ColumnFilter("first"), nil, m)) // ok ttlread/conditional-mutation
}

// Replace stores a report in place of the one before.
func (s *Sink) Replace(ctx context.Context, id string, b []byte) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamCur, "report", bigtable.Now(), b)
	m.DeleteCellsInColumn(schema.FamCur, "report") // want ttlwrite/delete-after-set
	return s.tbl.Apply(ctx, id, m)
}

// Twice stores a report under its own time and as the current one.
func (s *Sink) Twice(ctx context.Context, id string, at time.Time, b []byte) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(schema.FamCur, "report") // ok ttlwrite/delete-after-set
	m.Set(schema.FamCur, "report", bigtable.Time(at), b)
	m.Set(schema.FamCur, "report", bigtable.Now(), b) // ok ttlwrite/same-timestamp ttlwrite/clock-in-zero
	return s.tbl.Apply(ctx, id, m)
}
