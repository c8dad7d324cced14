// Package vitals keeps readings of bedside monitors, the alarms they raise, and the ward's journal.
package vitals

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"sort"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"medboard.example/board/btx"
	"medboard.example/board/clock"
	"medboard.example/board/schema"
)

// Reading is one measurement.
type Reading struct {
	Patient    string    `json:"patient"`
	Kind       string    `json:"kind"`
	Value      float64   `json:"value"`
	RecordedAt time.Time `json:"recorded_at"`
}

// Alarm is a numbered alarm of a monitor.
type Alarm struct {
	Number  int64
	Kind    string
	Created time.Time
}

// Store keeps readings and alarms.
type Store struct {
	tbl  btx.Table
	clk  clock.Clock
	nums clock.Numbers
}

// New returns a Store.
func New(tbl btx.Table, clk clock.Clock, nums clock.Numbers) *Store {
	return &Store{tbl: tbl, clk: clk, nums: nums}
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

// Record keeps a reading under the time at which it was taken.
func (s *Store) Record(ctx context.Context, r Reading) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.Reading, r.Kind, bigtable.Time(r.RecordedAt), encode(r.Value)) // ok ttlwrite/write-time
	mut.Set(schema.Reading, "seen", bigtable.Now(), nil)                          // ok ttlwrite/write-time
	mut.Set(schema.Reading, "stored", bigtable.ServerTime, nil)                   // ok ttlwrite/server-timestamp
	return s.tbl.Apply(ctx, r.Patient, mut)
}

// RecordAt keeps a reading of a monitor that counts seconds.
func (s *Store) RecordAt(ctx context.Context, patient, kind string, sec int64, v float64) error {
	mut := bigtable.NewMutation()
	at := time.Unix(sec, 0)
	mut.Set(schema.Reading, kind, bigtable.Timestamp(at.Unix()), encode(v))            // want ttlunit/wrong-unit
	mut.Set(schema.Reading, kind+"-us", bigtable.Timestamp(at.UnixMicro()), encode(v)) // ok ttlunit/wrong-unit
	mut.Set(schema.Reading, kind+"-s", bigtable.Timestamp(sec*1e6), encode(v))         // ok ttlunit/wrong-unit
	return s.tbl.Apply(ctx, patient, mut)
}

// RecordMillis keeps a reading of a monitor that counts milliseconds.
func (s *Store) RecordMillis(ctx context.Context, patient, kind string, at time.Time, v float64) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.Reading, kind, bigtable.Timestamp(at.UnixMilli()), encode(v))            // want ttlunit/wrong-unit
	mut.Set(schema.Reading, kind+"-us", bigtable.Timestamp(at.UnixMilli()*1000), encode(v)) // ok ttlunit/wrong-unit
	mut.Set(schema.Reading, kind+"-ms", bigtable.Timestamp(at.Unix()*1000), encode(v))      // want ttlunit/wrong-unit
	return s.tbl.Apply(ctx, patient, mut)
}

// RecordNanos keeps a reading of a monitor that counts nanoseconds.
func (s *Store) RecordNanos(ctx context.Context, patient, kind string, at time.Time, v float64) error {
	ts := bigtable.Timestamp(at.UnixNano()) // want ttlunit/wrong-unit[nanos]
	mut := bigtable.NewMutation()
	mut.Set(schema.Reading, kind, ts, encode(v))                                           // want ttlunit/wrong-unit[nanos]
	mut.Set(schema.Reading, kind+"-us", bigtable.Timestamp(at.UnixNano()/1000), encode(v)) // ok ttlunit/wrong-unit
	return s.tbl.Apply(ctx, patient, mut)
}

// Forecast keeps a value for later.
func (s *Store) Forecast(ctx context.Context, patient, kind string, in time.Duration, v float64) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.Reading, kind, bigtable.Now()+bigtable.Timestamp(in), encode(v))                       // want ttlunit/wrong-unit
	mut.Set(schema.Reading, kind+"-us", bigtable.Now()+bigtable.Timestamp(in.Microseconds()), encode(v))  // ok ttlunit/wrong-unit
	mut.Set(schema.Reading, kind+"-d", bigtable.Now()+bigtable.Timestamp(in/time.Microsecond), encode(v)) // ok ttlunit/wrong-unit
	return s.tbl.Apply(ctx, patient, mut)
}

// Unknown keeps a reading whose time is not known.
func (s *Store) Unknown(ctx context.Context, patient, kind string, v float64) error {
	var at time.Time
	mut := bigtable.NewMutation()
	mut.Set(schema.Reading, kind, bigtable.Time(at), encode(v))                       // want ttlunit/out-of-range
	mut.Set(schema.Reading, kind+"-epoch", bigtable.Time(time.Unix(0, 0)), encode(v)) // ok ttlunit/out-of-range
	return s.tbl.Apply(ctx, patient, mut)
}

// Forever keeps a reading at the end of time.
func (s *Store) Forever(ctx context.Context, patient, kind string, v float64) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.Reading, kind, bigtable.Time(time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)), encode(v))      // want ttlunit/out-of-range
	mut.Set(schema.Reading, kind+"-y", bigtable.Time(time.Date(2199, 12, 31, 0, 0, 0, 0, time.UTC)), encode(v)) // ok ttlunit/out-of-range
	return s.tbl.Apply(ctx, patient, mut)
}

// Since returns the readings of a patient.
func (s *Store) Since(ctx context.Context, patient string, d time.Duration) ([]Reading, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.Reading), bigtable.TimestampRangeFilter(s.clk.Now().Add(-d), s.clk.Now()))
	row, err := s.tbl.ReadRow(ctx, patient, bigtable.RowFilter(f)) // ok ttlread/upper-bound ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return readings(row), nil
}

func readings(row bigtable.Row) []Reading {
	var out []Reading
	for _, it := range row[schema.Reading] {
		out = append(out, Reading{Patient: it.Row, Kind: it.Column, Value: decode(it.Value), RecordedAt: it.Timestamp.Time()}) // ok ttlage/not-write-time
	}
	sort.Slice(out, func(i, j int) bool { return out[i].RecordedAt.Before(out[j].RecordedAt) })
	return out
}

// Everything returns all readings of a patient.
func (s *Store) Everything(ctx context.Context, patient string) ([]Reading, error) {
	row, err := s.tbl.ReadRow(ctx, patient) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return readings(row), nil
}

// Window returns the readings between two instants of the first second.
func (s *Store) Window(ctx context.Context, patient string) ([]Reading, error) {
	f := btx.Family(schema.Reading, bigtable.TimestampRangeFilterMicros(0, 999)) // want ttlunit/sub-millisecond[w1]
	row, err := s.tbl.ReadRow(ctx, patient, bigtable.RowFilter(f))               // want ttlunit/sub-millisecond[w1]
	if err != nil {
		return nil, err
	}
	f = btx.Family(schema.Reading, bigtable.TimestampRangeFilterMicros(5000, 2000)) // want ttlunit/empty-range[w2]
	more, err := s.tbl.ReadRow(ctx, patient, bigtable.RowFilter(f))                 // want ttlunit/empty-range[w2]
	if err != nil {
		return nil, err
	}
	f = btx.Family(schema.Reading, bigtable.TimestampRangeFilterMicros(2000, 5000)) // ok ttlunit/empty-range
	third, err := s.tbl.ReadRow(ctx, patient, bigtable.RowFilter(f))
	if err != nil {
		return nil, err
	}
	return append(append(readings(row), readings(more)...), readings(third)...), nil
}

// Forget deletes the readings of a kind from the first millisecond on.
func (s *Store) Forget(ctx context.Context, patient, kind string) error {
	mut := bigtable.NewMutation()
	mut.DeleteTimestampRange(schema.Reading, kind, 0, 999)         // want ttlunit/sub-millisecond
	mut.DeleteTimestampRange(schema.Reading, kind+"-old", 0, 1000) // ok ttlunit/sub-millisecond
	return s.tbl.Apply(ctx, patient, mut)
}

// Thin reads every n-th reading.
func (s *Store) Thin(ctx context.Context, patient string) ([]Reading, error) {
	row, err := s.tbl.ReadRow(ctx, patient, bigtable.RowFilter(btx.Family(schema.Reading, bigtable.LatestNFilter(0)))) // want ttlunit/invalid-filter
	if err != nil {
		return nil, err
	}
	more, err := s.tbl.ReadRow(ctx, patient, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.Reading)))) // want ttlunit/invalid-filter
	if err != nil {
		return nil, err
	}
	third, err := s.tbl.ReadRow(ctx, patient, bigtable.RowFilter(bigtable.FamilyFilter(schema.Reading)), bigtable.RowFilter(bigtable.ColumnFilter("seen"))) // want ttlread/overridden-filter
	if err != nil {
		return nil, err
	}
	out := append(readings(row), readings(more)...)
	for _, it := range third[schema.Reading] {
		out = append(out, Reading{Kind: it.Column})
	}
	return out, nil
}

// Raise numbers an alarm and keeps it.
func (s *Store) Raise(ctx context.Context, patient, kind string) (int64, error) {
	n := s.nums.Next(patient)
	mut := bigtable.NewMutation()
	mut.Set(schema.Alarm, "kind", btx.Number(n), []byte(kind))                         // ok ttlwrite/unscaled-sequence
	mut.Set(schema.Reading, "alarm", bigtable.Now(), []byte(strconv.FormatInt(n, 10))) // ok ttlwrite/clock-in-sequence
	return n, s.tbl.Apply(ctx, patient, mut)
}

// RaiseNow keeps an alarm without a number.
func (s *Store) RaiseNow(ctx context.Context, patient, kind string) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.Alarm, "kind", bigtable.Time(s.clk.Now()), []byte(kind)) // want ttlwrite/clock-in-sequence
	return s.tbl.Apply(ctx, patient, mut)
}

// Escalate raises an alarm once for each level.
func (s *Store) Escalate(ctx context.Context, patient string, levels []string) error {
	mut := bigtable.NewMutation()
	for i := range levels {
		mut.Set(schema.Alarm, "level", bigtable.Timestamp(i+1), []byte(levels[i])) // want ttlwrite/unscaled-sequence
	}
	for i := range levels {
		mut.Set(schema.Alarm, "level-n", 1000*bigtable.Timestamp(i+1), []byte(levels[i])) // ok ttlwrite/unscaled-sequence
	}
	return s.tbl.Apply(ctx, patient, mut)
}

// Mute raises the same alarm again and again.
func (s *Store) Mute(ctx context.Context, patient string, kinds []string) error {
	n := btx.Number(s.nums.Next(patient))
	mut := bigtable.NewMutation()
	for _, k := range kinds {
		mut.Set(schema.Alarm, "mute", n, []byte(k)) // want ttlwrite/same-timestamp
	}
	for _, k := range kinds {
		mut.Set(schema.Alarm, "mute-"+k, n, []byte(k)) // ok ttlwrite/same-timestamp
	}
	return s.tbl.Apply(ctx, patient, mut)
}

// Acknowledged counts acknowledgements of a patient's alarms.
func (s *Store) Acknowledged(ctx context.Context, patient string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue(schema.Alarm, "ack", []byte("x"))   // want ttlwrite/read-modify-write
	rmw.AppendValue(schema.Reading, "ack", []byte("x")) // ok ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, patient, rmw)
	return err
}

// Alarms returns the alarms of a patient.
func (s *Store) Alarms(ctx context.Context, patient string) ([]Alarm, error) {
	row, err := s.tbl.ReadRow(ctx, patient, bigtable.RowFilter(btx.Family(schema.Alarm, bigtable.LatestNFilter(schema.AlarmVersions)))) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []Alarm
	for _, it := range row[schema.Alarm] {
		out = append(out, Alarm{Number: btx.NumberOf(it), Kind: string(it.Value)}) // ok ttlage/not-write-time
	}
	return out, nil
}

// AlarmsOfHour returns the alarms of the last hour.
func (s *Store) AlarmsOfHour(ctx context.Context, patient string) ([]Alarm, error) {
	row, err := s.tbl.ReadRow(ctx, patient, bigtable.RowFilter(btx.Family(schema.Alarm, btx.Within(s.clk.Now(), time.Hour)))) // want ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	var out []Alarm
	for _, it := range row[schema.Alarm] {
		out = append(out, Alarm{Kind: string(it.Value), Created: it.Timestamp.Time()}) // want ttlage/not-write-time
	}
	return out, nil
}

// Chart returns a patient's readings and alarms.
func (s *Store) Chart(ctx context.Context, patient string) (map[string]string, error) {
	row, err := s.tbl.ReadRow(ctx, patient) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := make(map[string]string)
	for _, it := range row[schema.Alarm] {
		out[it.Column] = string(it.Value)
	}
	for _, r := range readings(row) {
		out[r.Kind] = fmt.Sprint(r.Value)
	}
	return out, nil
}

// ChartN is Chart with the newest of everything.
func (s *Store) ChartN(ctx context.Context, patient string) (map[string]string, error) {
	row, err := s.tbl.ReadRow(ctx, patient, bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	out := make(map[string]string)
	for _, it := range row[schema.Alarm] {
		out[it.Column] = string(it.Value)
	}
	for _, r := range readings(row) {
		out[r.Kind] = fmt.Sprint(r.Value)
	}
	return out, nil
}

// Gap says how long ago a patient's last reading and last alarm were.
func (s *Store) Gap(ctx context.Context, patient string) (reading, alarm time.Duration, err error) {
	row, err := s.tbl.ReadRow(ctx, patient, bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/version-limit
	if err != nil {
		return 0, 0, err
	}
	if items := row[schema.Reading]; len(items) > 0 {
		reading = s.clk.Now().Sub(items[0].Timestamp.Time()) // ok ttlage/not-write-time
	}
	if items := row[schema.Alarm]; len(items) > 0 {
		alarm = s.clk.Now().Sub(items[0].Timestamp.Time()) // want ttlage/not-write-time
	}
	return reading, alarm, nil
}

// Journal is the ward's book; its entries are ordinary cells.
type Journal struct {
	tbl *bigtable.Table
	clk clock.Clock
}

// OpenJournal opens the journal.
func OpenJournal(client *bigtable.Client, clk clock.Clock) *Journal {
	return &Journal{tbl: client.Open(schema.Journal), clk: clk}
}

// Write writes into the book.
func (j *Journal) Write(ctx context.Context, ward, text string) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.Entry, "text", bigtable.Time(j.clk.Now()), []byte(text)) // ok ttlwrite/clock-in-sequence
	mut.Set(schema.Entry, "last", bigtable.ServerTime, []byte(text))        // ok ttlwrite/server-timestamp
	return j.tbl.Apply(ctx, ward, mut)
}

// Read reads the book.
func (j *Journal) Read(ctx context.Context, ward string) (map[time.Time]string, error) {
	row, err := j.tbl.ReadRow(ctx, ward) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := make(map[time.Time]string)
	for _, it := range row[schema.Entry] {
		createdAt := it.Timestamp.Time() // ok ttlage/not-write-time
		out[createdAt] = string(it.Value)
	}
	return out, nil
}

// Today reads the last day of the book.
func (j *Journal) Today(ctx context.Context, ward string) (int, error) {
	row, err := j.tbl.ReadRow(ctx, ward, bigtable.RowFilter(btx.Within(j.clk.Now(), 24*time.Hour))) // ok ttlread/wrong-bound
	return len(row[schema.Entry]), err
}

// Count counts in the book.
func (j *Journal) Count(ctx context.Context, ward string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.Entry, "count", 1) // ok ttlwrite/read-modify-write
	_, err := j.tbl.ApplyReadModifyWrite(ctx, ward, rmw)
	return err
}
