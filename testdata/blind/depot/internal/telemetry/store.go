package telemetry

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/depot/internal/bt"
	"example.com/depot/internal/names"
	"example.com/depot/internal/seqx"
)

// Store is the shell.
type Store struct {
	tbl *bigtable.Table
	log *slog.Logger
}

// Open opens the table.
func Open(c *bigtable.Client, log *slog.Logger) *Store {
	return &Store{tbl: c.Open(names.Telemetry), log: log}
}

// shifted is the timestamp with which a cell of a family whose cells live
// for normal lives for d.
func shifted(now time.Time, d, normal time.Duration) bigtable.Timestamp {
	return bigtable.Time(now.Add(d - normal))
}

// Ping stores a point.
func (s *Store) Ping(ctx context.Context, p Point) error {
	m := bigtable.NewMutation()
	m.Set(string(names.Ping), "pos", bigtable.Now(), p.Bytes()) // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, p.Vehicle, m)
}

// PingFast stores a point and leaves the time to the server.
func (s *Store) PingFast(ctx context.Context, p Point) error {
	m := bigtable.NewMutation()
	m.Set(string(names.Ping), "pos", bigtable.ServerTime, p.Bytes()) // ok ttlwrite/server-timestamp
	return s.tbl.Apply(ctx, p.Vehicle, m)
}

// PingBrief stores a point for an hour: forklifts send ten a second.
func (s *Store) PingBrief(ctx context.Context, p Point) error {
	m := bigtable.NewMutation()
	bt.Replace(m, names.Ping, "pos", bt.ExpiresAt(shifted(bt.Now(ctx), time.Hour, PingTTL)), p.Bytes()) // ok ttlwrite/already-expired
	return s.tbl.Apply(ctx, p.Vehicle, m)
}

// PingOnce stores a point for as short as possible.
func (s *Store) PingOnce(ctx context.Context, p Point) error {
	m := bigtable.NewMutation()
	m.Set(string(names.Ping), "pos", bigtable.Time(time.Now().Add(-PingTTL)), p.Bytes()) // want ttlwrite/already-expired
	return s.tbl.Apply(ctx, p.Vehicle, m)
}

// PingMinute stores a point for a minute.
func (s *Store) PingMinute(ctx context.Context, p Point) error {
	m := bigtable.NewMutation()
	m.Set(string(names.Ping), "pos", bigtable.Time(time.Now().Add(time.Minute-PingTTL)), p.Bytes()) // ok ttlwrite/already-expired
	return s.tbl.Apply(ctx, p.Vehicle, m)
}

// Raise stores an alarm for as long as its level wants.
func (s *Store) Raise(ctx context.Context, a Alarm) error {
	now := bt.Now(ctx)
	m := bigtable.NewMutation()
	m.Set(string(names.Alarm), column(a), shifted(now, a.Level.Keep(), AlarmTTL), []byte(a.Text)) // ok ttlwrite/already-expired
	m.Set(string(names.Ping), "last-alarm", bigtable.Time(now), []byte(a.Text))                   // ok ttlwrite/same-timestamp
	return s.tbl.Apply(ctx, a.Vehicle, m)
}

// Clear ends an alarm: it stays for an hour and then goes.
func (s *Store) Clear(ctx context.Context, a Alarm) error {
	m := bigtable.NewMutation()
	m.Set(string(names.Alarm), column(a), shifted(time.Now(), -time.Hour, AlarmTTL), nil) // want ttlwrite/already-expired
	return s.tbl.Apply(ctx, a.Vehicle, m)
}

// Ack notes who has seen an alarm.
func (s *Store) Ack(ctx context.Context, a Alarm, who string) error {
	ts := bigtable.Now()
	m := bigtable.NewMutation()
	m.Set(string(names.Alarm), "ack", ts, []byte(who))
	m.Set(string(names.Alarm), "ack", ts, []byte(a.Text)) // want ttlwrite/same-timestamp
	return s.tbl.Apply(ctx, a.Vehicle, m)
}

// AckBoth notes who has seen an alarm, and which.
func (s *Store) AckBoth(ctx context.Context, a Alarm, who string) error {
	ts := bigtable.Now()
	m := bigtable.NewMutation()
	m.Set(string(names.Alarm), "ack-by", ts, []byte(who))
	m.Set(string(names.Alarm), "ack-of", ts, []byte(a.Text)) // ok ttlwrite/same-timestamp
	return s.tbl.Apply(ctx, a.Vehicle, m)
}

// Trace stores the last points of a vehicle that was offline.
func (s *Store) Trace(ctx context.Context, vehicle string, points iter.Seq[Point]) error {
	now := bigtable.Now()
	m := bigtable.NewMutation()
	for p := range points {
		m.Set(string(names.Ping), "pos", now, p.Bytes()) // want ttlwrite/same-timestamp
	}
	return s.tbl.Apply(ctx, vehicle, m)
}

// TraceAll is Trace with a column for each point.
func (s *Store) TraceAll(ctx context.Context, vehicle string, points iter.Seq[Point]) error {
	now := bigtable.Now()
	m := bigtable.NewMutation()
	for i, p := range seqx.Enumerate(points) {
		m.Set(string(names.Ping), "pos-"+strconv.Itoa(i), now, p.Bytes()) // ok ttlwrite/same-timestamp
	}
	return s.tbl.Apply(ctx, vehicle, m)
}

// TraceTimes is Trace with the points' own times.
func (s *Store) TraceTimes(ctx context.Context, vehicle string, points iter.Seq[Point]) error {
	m := bigtable.NewMutation()
	for p := range points {
		m.Set(string(names.Ping), "pos", bigtable.Time(p.At), p.Bytes()) // ok ttlwrite/same-timestamp
	}
	return s.tbl.Apply(ctx, vehicle, m)
}

// Odometer stores the mileage, with the box's own clock, which tells
// milliseconds.
func (s *Store) Odometer(ctx context.Context, p Point, meters int64) error {
	m := bigtable.NewMutation()
	m.Set(string(names.Ping), "odo", bigtable.Timestamp(p.At.UnixMilli()), strconv.AppendInt(nil, meters, 10)) // want ttlunit/wrong-unit|ttlwrite/already-expired
	return s.tbl.Apply(ctx, p.Vehicle, m)
}

// Fuel stores the level of the tank.
func (s *Store) Fuel(ctx context.Context, p Point, percent int64) error {
	m := bigtable.NewMutation()
	m.Set(string(names.Ping), "fuel", bigtable.Timestamp(p.At.UnixMilli()*1000), strconv.AppendInt(nil, percent, 10)) // ok ttlunit/wrong-unit
	return s.tbl.Apply(ctx, p.Vehicle, m)
}

// Battery stores the charge of a forklift.
func (s *Store) Battery(ctx context.Context, p Point, percent int64) error {
	m := bigtable.NewMutation()
	m.Set(string(names.Ping), "charge", bigtable.Timestamp(p.At.UnixNano()), strconv.AppendInt(nil, percent, 10)) // want ttlunit/wrong-unit
	return s.tbl.Apply(ctx, p.Vehicle, m)
}

// Temperature stores what the reefers report; it may live an hour longer.
func (s *Store) Temperature(ctx context.Context, p Point, degrees int64) error {
	m := bigtable.NewMutation()
	m.Set(string(names.Ping), "temp", bigtable.Now()+bigtable.Timestamp(time.Hour), strconv.AppendInt(nil, degrees, 10)) // want ttlunit/wrong-unit
	return s.tbl.Apply(ctx, p.Vehicle, m)
}

// Humidity is Temperature for the other sensor.
func (s *Store) Humidity(ctx context.Context, p Point, percent int64) error {
	m := bigtable.NewMutation()
	m.Set(string(names.Ping), "hum", bigtable.Now()+bigtable.Timestamp(time.Hour.Microseconds()), strconv.AppendInt(nil, percent, 10)) // ok ttlunit/wrong-unit
	return s.tbl.Apply(ctx, p.Vehicle, m)
}

// Engine counts the starts of an engine: default cells may be counted.
func (s *Store) Engine(ctx context.Context, vehicle string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(string(names.Ping), "starts", 1) // ok ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, vehicle, rmw)
	return err
}

func column(a Alarm) string { return fmt.Sprintf("l%d-%d", a.Level, a.Raised.Unix()) }

// Last is the newest point of a vehicle.
func (s *Store) Last(ctx context.Context, vehicle string) (Point, error) {
	row, err := bt.One(ctx, s.tbl, vehicle, bt.With(bt.Only(names.Ping), bt.Since(bt.Now(ctx), PingTTL), bigtable.LatestNFilter(1))) // ok ttlread/missing-filter ttlread/wrong-bound
	if err != nil {
		return Point{}, err
	}
	return pointOf(vehicle, row)
}

// LastSeen is Last, for vehicles that have been away.
func (s *Store) LastSeen(ctx context.Context, vehicle string) (Point, error) {
	row, err := bt.One(ctx, s.tbl, vehicle, bt.With(bt.Newest(names.Ping))) // want ttlread/missing-filter
	if err != nil {
		return Point{}, err
	}
	return pointOf(vehicle, row)
}

// Current is Last, with the filter of the docks' holds.
func (s *Store) Current(ctx context.Context, vehicle string) (Point, error) {
	row, err := bt.One(ctx, s.tbl, vehicle, bt.With(bt.LiveOnly(names.Ping, time.Now()))) // want ttlread/wrong-bound
	if err != nil {
		return Point{}, err
	}
	return pointOf(vehicle, row)
}

func pointOf(vehicle string, row bigtable.Row) (Point, error) {
	v, ok := bt.Value(row, names.Ping, "pos")
	if !ok {
		return Point{}, bt.ErrNoRow
	}
	p, err := ParsePoint(v)
	p.Vehicle = vehicle
	return p, err
}

// Points yields the points of a vehicle, newest first.
func (s *Store) Points(ctx context.Context, vehicle string) iter.Seq2[Point, error] {
	return func(yield func(Point, error) bool) {
		row, err := s.tbl.ReadRow(ctx, vehicle, bt.With(
			bt.Only(names.Ping),
			bigtable.ColumnFilter("pos.*"),
			bigtable.TimestampRangeFilter(time.Now().Add(-PingTTL), time.Time{}), // ok ttlread/wrong-bound
		))
		if err != nil {
			yield(Point{}, err)
			return
		}
		for it := range bt.Items(row, names.Ping) {
			p, err := ParsePoint(it.Value)
			p.Vehicle = vehicle
			if !yield(p, err) {
				return
			}
		}
	}
}

// Week yields the points of a week: there are none beyond two days, but the
// screen asks.
func (s *Store) Week(ctx context.Context, vehicle string) iter.Seq2[Point, error] {
	const week = 7 * 24 * time.Hour
	filter := bigtable.ChainFilters(bt.Only(names.Ping), bt.Since(bt.Now(ctx), week)) // want ttlread/wrong-bound[week]
	return func(yield func(Point, error) bool) {
		row, err := s.tbl.ReadRow(ctx, vehicle, bigtable.RowFilter(filter)) // want ttlread/wrong-bound[week]
		if err != nil {
			yield(Point{}, err)
			return
		}
		for it := range bt.Items(row, names.Ping) {
			if p, err := ParsePoint(it.Value); !yield(p, err) {
				return
			}
		}
	}
}

// Alarms yields the alarms of a vehicle.
func (s *Store) Alarms(ctx context.Context, vehicle string) iter.Seq2[Alarm, error] {
	return func(yield func(Alarm, error) bool) {
		row, err := s.tbl.ReadRow(ctx, vehicle, bt.With(bt.Only(names.Alarm), bt.Since(bt.Now(ctx), AlarmTTL))) // ok ttlread/wrong-bound
		if err != nil {
			yield(Alarm{}, err)
			return
		}
		for it := range bt.Items(row, names.Alarm) {
			a, err := alarmOf(vehicle, it)
			if !yield(a, err) {
				return
			}
		}
	}
}

// Recent yields the alarms of the last two days.
func (s *Store) Recent(ctx context.Context, vehicles iter.Seq[string]) iter.Seq2[Alarm, error] {
	set := bigtable.RowList(slices.Collect(vehicles))
	return func(yield func(Alarm, error) bool) {
		opt := bt.With(bt.Only(names.Alarm), bt.Since(time.Now(), PingTTL)) // want ttlread/wrong-bound[recent]
		for row, err := range bt.Rows(ctx, s.tbl, set, opt) {               // want ttlread/wrong-bound[recent]
			if err != nil {
				yield(Alarm{}, err)
				return
			}
			for it := range bt.Items(row, names.Alarm) {
				if a, err := alarmOf(row.Key(), it); !yield(a, err) {
					return
				}
			}
		}
	}
}

func alarmOf(vehicle string, it bigtable.ReadItem) (Alarm, error) {
	var level, sec int64
	if _, err := fmt.Sscanf(bt.Qualifier(it), "l%d-%d", &level, &sec); err != nil {
		return Alarm{}, fmt.Errorf("alarm %q: %w", it.Column, err)
	}
	return Alarm{Vehicle: vehicle, Level: Level(level), Text: string(it.Value), Raised: time.Unix(sec, 0)}, nil
}

// Silent yields the vehicles that have not been heard of for d.
func (s *Store) Silent(ctx context.Context, d time.Duration) iter.Seq2[string, error] {
	now := bt.Now(ctx)
	pings := bt.With(bt.Only(names.Ping), bt.Since(now, PingTTL), bigtable.LatestNFilter(1))
	return func(yield func(string, error) bool) {
		for row, err := range bt.Rows(ctx, s.tbl, bigtable.InfiniteRange(""), pings) { // ok ttlread/missing-filter
			if err != nil {
				yield("", err)
				return
			}
			for it := range bt.Items(row, names.Ping) {
				if time.Since(it.Timestamp.Time()) > d && !yield(row.Key(), nil) { // want ttlage/not-write-time
					return
				}
			}
		}
	}
}

// Quiet is Silent by the points' own times.
func (s *Store) Quiet(ctx context.Context, d time.Duration) iter.Seq2[string, error] {
	pings := bt.With(bt.Only(names.Ping), bt.Since(bt.Now(ctx), PingTTL), bigtable.LatestNFilter(1))
	return func(yield func(string, error) bool) {
		for row, err := range bt.Rows(ctx, s.tbl, bigtable.InfiniteRange(""), pings) {
			if err != nil {
				yield("", err)
				return
			}
			p, err := pointOf(row.Key(), row)
			if err == nil && time.Since(p.At) > d && !yield(row.Key(), nil) { // ok ttlage/not-write-time
				return
			}
		}
	}
}

// Window yields what was sent in the last hour, to the minute.
func (s *Store) Window(ctx context.Context, vehicle string) ([]Point, error) {
	now := time.Now()
	row, err := s.tbl.ReadRow(ctx, vehicle, bt.With( // want ttlread/upper-bound[window]
		bt.Only(names.Ping),
		bigtable.TimestampRangeFilter(now.Add(-PingTTL), now), // want ttlread/upper-bound[window]
	))
	if err != nil {
		return nil, err
	}
	var out []Point
	var errs []error
	for it := range bt.Items(row, names.Ping) {
		p, err := ParsePoint(it.Value)
		out, errs = append(out, p), append(errs, err)
	}
	slices.SortFunc(out, byTime)
	return out, errors.Join(errs...)
}

// Fleet counts the vehicles by the first letter of their names, keys only.
func (s *Store) Fleet(ctx context.Context) (map[string]int, error) {
	keys := bt.With(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())
	counts := map[string]int{}
	for row, err := range bt.Rows(ctx, s.tbl, bigtable.InfiniteRange(""), keys) { // ok ttlread/missing-filter
		if err != nil {
			return nil, err
		}
		counts[row.Key()[:1]]++
	}
	return counts, nil
}

// Dump writes down everything that is known of a vehicle.
func (s *Store) Dump(ctx context.Context, vehicle string) (map[string]string, error) {
	row, err := s.tbl.ReadRow(ctx, vehicle) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, items := range row {
		for _, it := range items {
			out[it.Column] = fmt.Sprintf("%x", it.Value)
		}
	}
	return out, nil
}

// DumpLive is Dump, without what is over.
func (s *Store) DumpLive(ctx context.Context, vehicle string) (map[string]string, error) {
	now := bt.Now(ctx)
	live := bigtable.InterleaveFilters(
		bigtable.ChainFilters(bt.Only(names.Ping), bt.Since(now, PingTTL)),
		bigtable.ChainFilters(bt.Only(names.Alarm), bt.Since(now, AlarmTTL)),
	)
	row, err := s.tbl.ReadRow(ctx, vehicle, bigtable.RowFilter(live)) // ok ttlread/missing-filter ttlread/unfiltered-branch ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, items := range row {
		for _, it := range items {
			out[it.Column] = fmt.Sprintf("%x", it.Value)
		}
	}
	return out, nil
}
