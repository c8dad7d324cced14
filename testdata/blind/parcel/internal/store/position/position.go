// Package position keeps where vehicles are and were.
//
// Table "positions": "pos" lives for three days by default, "trip" has real timestamps.
package position

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"

	"cloud.google.com/go/bigtable"

	"northlane.example/parcel/internal/bt"
	"northlane.example/parcel/internal/clock"
	"northlane.example/parcel/internal/retry"
)

const (
	tablePositions = "positions"
	keep           = 72 * time.Hour
)

var families = []string{"pos", "trip"}

// Fix is a position.
type Fix struct {
	Vehicle string
	Lat     float64
	Lon     float64
	At      time.Time
	Written time.Time
}

// Log is the log of positions.
type Log struct {
	*bigtable.Table
	clk clock.Clock
}

// NewLog returns a Log.
func NewLog(c *bigtable.Client, clk clock.Clock) *Log {
	if clk == nil {
		clk = clock.System{}
	}
	return &Log{Table: c.Open(tablePositions), clk: clk}
}

func (l *Log) window() bigtable.ReadOption {
	fam := families[0]
	return bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(fam), bigtable.TimestampRangeFilter(l.clk.Now().Add(-keep), time.Time{})))
}

// Track writes a position.
func (l *Log) Track(ctx context.Context, f Fix) error {
	fam := families[0]
	ts := bigtable.Now()
	m := bigtable.NewMutation()
	m.Set(fam, "lat", ts, float(f.Lat)) // ok ttlwrite/write-time
	m.Set(fam, "lon", ts, float(f.Lon)) // ok ttlwrite/same-timestamp
	return l.Apply(ctx, f.Vehicle, m)
}

// TrackTwice writes what a vehicle with two antennas sends.
func (l *Log) TrackTwice(ctx context.Context, a, b Fix) error {
	ts := bigtable.Time(l.clk.Now())
	m := bigtable.NewMutation()
	m.Set("pos", "lat", ts, float(a.Lat)) // ok ttlwrite/same-timestamp
	m.Set("pos", "lon", ts, float(a.Lon)) // ok ttlwrite/same-timestamp
	m.Set("pos", "lat", ts, float(b.Lat)) // want ttlwrite/same-timestamp
	m.Set("pos", "lon", ts, float(b.Lon)) // want ttlwrite/same-timestamp
	return l.Apply(ctx, a.Vehicle, m)
}

// Depart begins a trip.
func (l *Log) Depart(ctx context.Context, vehicle, depot string) error {
	trip := families[1]
	m := bigtable.NewMutation()
	m.Set(trip, "from", bigtable.Now(), []byte(depot))                                    // ok ttlwrite/write-time
	m.Set(trip, "eta", bigtable.Time(l.clk.Now().Add(-time.Minute)), []byte("?"))         // ok ttlwrite/already-expired
	m.Set(trip, "unix", bigtable.Timestamp(l.clk.Now().UnixMilli()), []byte(depot))       // want ttlunit/wrong-unit
	m.Set(trip, "micro", bigtable.Timestamp(l.clk.Now().UnixMilli()*1000), []byte(depot)) // ok ttlunit/wrong-unit
	return l.Apply(ctx, vehicle, m)
}

// Arrive ends a trip.
func (l *Log) Arrive(ctx context.Context, vehicle, depot string, late time.Duration) error {
	m := bigtable.NewMutation()
	m.Set("trip", "to", bigtable.Now(), []byte(depot))                                         // ok ttlwrite/write-time
	m.Set("trip", "late", bigtable.Now()+bigtable.Timestamp(late), []byte("1"))                // want ttlunit/wrong-unit
	m.Set("trip", "dock", bigtable.Now()+bigtable.Timestamp(late.Microseconds()), []byte("1")) // ok ttlunit/wrong-unit
	return l.Apply(ctx, vehicle, m)
}

// Last returns where a vehicle was last.
func (l *Log) Last(ctx context.Context, vehicle string) (*Fix, error) {
	row, err := l.ReadRow(ctx, vehicle, l.window()) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return decode(vehicle, row)
}

// LastKnown returns where a vehicle was last, whenever that was.
func (l *Log) LastKnown(ctx context.Context, vehicle string) (*Fix, error) {
	row, err := l.ReadRow(ctx, vehicle, bigtable.RowFilter(bt.LatestOf("pos", 1))) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	f := &Fix{Vehicle: vehicle}
	for _, it := range row["pos"] {
		switch it.Column {
		case "pos:lat":
			f.Lat = unfloat(it.Value)
		case "pos:lon":
			f.Lon = unfloat(it.Value)
			f.Written = it.Timestamp.Time() // want ttlage/not-write-time
		}
	}
	return f, nil
}

// Since returns the trips that began after t.
func (l *Log) Since(ctx context.Context, vehicle string, t time.Time) ([]string, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter("trip"), bigtable.TimestampRangeFilter(t, l.clk.Now()))
	row, err := l.ReadRow(ctx, vehicle, bigtable.RowFilter(f)) // ok ttlread/upper-bound
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row["trip"] {
		out = append(out, fmt.Sprintf("%s %s", it.Timestamp.Time().Format(time.RFC3339), it.Value)) // ok ttlage/not-write-time
	}
	return out, nil
}

// Day returns the positions of the last day.
func (l *Log) Day(ctx context.Context, vehicle string) (int, error) {
	row, err := l.ReadRow(ctx, vehicle, bigtable.RowFilter(bt.WithinFamily("pos", l.clk.Now(), 24*time.Hour))) // want ttlread/wrong-bound
	if err != nil {
		return 0, err
	}
	return len(row["pos"]), nil
}

// Month reads what the depot's screen shows.
func (l *Log) Month(ctx context.Context, vehicle string) (int, error) {
	start := l.clk.Now().AddDate(0, 0, -30)
	row, err := l.ReadRow(ctx, vehicle, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("pos"), bigtable.TimestampRangeFilter(start, time.Time{})))) // want ttlread/wrong-bound
	return len(row["pos"]), err
}

// Cells reads the three days in units of the client.
func (l *Log) Cells(ctx context.Context, vehicle string) (int, error) {
	start := bigtable.Time(l.clk.Now().Add(-keep))
	row, err := l.ReadRow(ctx, vehicle, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("pos"), bigtable.TimestampRangeFilterMicros(start, 0)))) // ok ttlread/wrong-bound
	return len(row["pos"]), err
}

// CellsUnix is Cells of the old dashboard.
func (l *Log) CellsUnix(ctx context.Context, vehicle string) (int, error) {
	start := bigtable.Timestamp(l.clk.Now().Add(-keep).Unix()) // want ttlunit/wrong-unit
	f := bigtable.ChainFilters(bigtable.FamilyFilter("trip"), bigtable.TimestampRangeFilterMicros(start, 0))
	row, err := l.ReadRow(ctx, vehicle, bigtable.RowFilter(f))
	return len(row["trip"]), err
}

// Near scans the vehicles of a depot.
func (l *Log) Near(ctx context.Context, depot string, f func(Fix) bool) error {
	var bad error
	err := retry.Default.Do(ctx, func(ctx context.Context) error {
		return l.ReadRows(ctx, bigtable.PrefixRange(depot+"/"), func(r bigtable.Row) bool { // want ttlread/missing-filter
			fix, err := decode(r.Key(), r)
			if err != nil {
				bad = err
				return false
			}
			return f(*fix)
		})
	})
	return errors.Join(err, bad)
}

// NearLive is Near without those that have gone.
func (l *Log) NearLive(ctx context.Context, depot string, f func(Fix) bool) error {
	return l.ReadRows(ctx, bigtable.PrefixRange(depot+"/"), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		fix, err := decode(r.Key(), r)
		return err == nil && f(*fix)
	}, l.window())
}

// Trips counts the trips of a depot's vehicles.
func (l *Log) Trips(ctx context.Context, depot string) (int, error) {
	n := 0
	err := l.ReadRows(ctx, bigtable.PrefixRange(depot+"/"), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		n += len(r["trip"])
		return true
	}, bigtable.LimitRows(5000))
	return n, err
}

// Drop deletes the oldest trips.
func (l *Log) Drop(ctx context.Context, vehicle string) error {
	m := bigtable.NewMutation()
	m.DeleteTimestampRange("trip", "eta", 0, 999)                                                // want ttlunit/sub-millisecond
	m.DeleteTimestampRange("trip", "from", 0, bigtable.Time(l.clk.Now().Add(-365*24*time.Hour))) // ok ttlunit/sub-millisecond
	return l.Apply(ctx, vehicle, m)
}

// Odometer adds to a vehicle's distance.
func (l *Log) Odometer(ctx context.Context, vehicle string, metres int64) error {
	m := bigtable.NewMutation()
	m.AddIntToCell("odo", "m", bigtable.ServerTime, metres)                                 // want ttlwrite/aggregate-server-time
	m.AddIntToCell("odo", "day", bigtable.Time(l.clk.Now().Truncate(24*time.Hour)), metres) // ok ttlwrite/aggregate-server-time
	return l.Apply(ctx, vehicle, m)
}

func decode(vehicle string, row bigtable.Row) (*Fix, error) {
	f := &Fix{Vehicle: vehicle}
	items := row["pos"]
	if len(items) == 0 {
		return nil, bt.ErrNotFound
	}
	for _, it := range items {
		if len(it.Value) != 8 {
			return nil, fmt.Errorf("position: %s: %d bytes", it.Column, len(it.Value))
		}
		switch it.Column {
		case "pos:lat":
			f.Lat = unfloat(it.Value)
		case "pos:lon":
			f.Lon = unfloat(it.Value)
		}
	}
	return f, nil
}

func float(v float64) []byte {
	return binary.BigEndian.AppendUint64(nil, math.Float64bits(v))
}

func unfloat(b []byte) float64 {
	return math.Float64frombits(binary.BigEndian.Uint64(b))
}
