// Package chargingstore keeps charging sessions and telemetry in the charging table.
package chargingstore

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sort"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/parkwise/parkwise/internal/bt"
	"github.com/parkwise/parkwise/internal/charging"
	"github.com/parkwise/parkwise/internal/clock"
	"github.com/parkwise/parkwise/internal/tenant"
)

var (
	_ charging.Telemetry = (*Store)(nil)
	_ charging.Sessions  = (*Store)(nil)
)

const (
	colBody    = "body"
	colKWh     = "kwh"
	colStopped = "stopped"
	colLast    = "last"
	colAlarm   = "alarm"
)

// Store keeps samples (family sample, a week by default) and sessions (family session).
type Store struct {
	tbl bt.Table
	log *slog.Logger
}

// New makes the store.
func New(tbl bt.Table, log *slog.Logger) *Store { return &Store{tbl: tbl, log: log} }

func key(id tenant.ID, sid string) string { return tenant.Key(id, "chg", sid) }

func column(at time.Time) string { return fmt.Sprintf("%013d", at.UnixMilli()) }

// Append implements charging.Telemetry.
func (s *Store) Append(ctx context.Context, id tenant.ID, sid string, sm charging.Sample) error {
	raw, err := json.Marshal(sm)
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set(bt.FamSample, column(sm.At), bigtable.ServerTime, raw) // ok ttlwrite/server-timestamp
	mut.Set(bt.FamSample, colLast, bigtable.Now(), raw)            // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, key(id, sid), mut)
}

// AppendFor implements charging.Telemetry.
func (s *Store) AppendFor(ctx context.Context, id tenant.ID, sid string, sm charging.Sample, ttl time.Duration) error {
	raw, err := json.Marshal(sm)
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(bt.FamSample, column(sm.At))                                        // ok ttlwrite/delete-after-set
	mut.Set(bt.FamSample, column(sm.At), bt.Aged(clock.Now(ctx), bt.SampleRetention, ttl), raw) // ok ttlwrite/already-expired
	return s.tbl.Apply(ctx, key(id, sid), mut)
}

// AppendAlarm writes a reading that is to be kept for a day.
func (s *Store) AppendAlarm(ctx context.Context, id tenant.ID, sid, text string) error {
	now := clock.Now(ctx)
	return bt.Build().
		PutAt(bt.FamSample, colAlarm, bt.Aged(now, bt.SampleRetention, 24*time.Hour), []byte(text)).             // ok ttlwrite/already-expired
		PutAt(bt.FamSample, "alarm_short", bigtable.Time(now.Add(-bt.SampleRetention)), []byte(text)).           // want ttlwrite/already-expired
		PutAt(bt.FamSample, "alarm_day", bigtable.Time(now.Add(24*time.Hour-bt.SampleRetention)), []byte(text)). // ok ttlwrite/already-expired
		Apply(ctx, s.tbl, key(id, sid))
}

// AppendBatch implements charging.Telemetry.
func (s *Store) AppendBatch(ctx context.Context, id tenant.ID, sid string, samples []charging.Sample) error {
	var bulk bt.Bulk
	for _, sm := range samples {
		raw, err := json.Marshal(sm)
		if err != nil {
			return err
		}
		mut := bigtable.NewMutation()
		mut.Set(bt.FamSample, column(sm.At), bigtable.Time(sm.At), raw) // ok ttlwrite/already-expired
		mut.Set(bt.FamSample, colLast, bigtable.ServerTime, raw)        // ok ttlwrite/server-timestamp
		bulk.Add(key(id, sid), mut)
	}
	return bulk.Flush(ctx, s.tbl)
}

// Backdate files readings that a charger kept while it was offline.
func (s *Store) Backdate(ctx context.Context, id tenant.ID, sid string, samples []charging.Sample) error {
	mut := bigtable.NewMutation()
	old := bigtable.Time(clock.Now(ctx).Add(-30 * 24 * time.Hour))
	for _, sm := range samples {
		raw, err := json.Marshal(sm)
		if err != nil {
			return err
		}
		mut.Set(bt.FamSample, column(sm.At), old, raw)                                              // want ttlwrite/already-expired
		mut.Set(bt.FamSample, column(sm.At)+".ms", bigtable.Timestamp(sm.At.UnixMilli()), raw)      // want ttlunit/wrong-unit
		mut.Set(bt.FamSample, column(sm.At)+".us", bigtable.Timestamp(sm.At.UnixMilli()*1000), raw) // ok ttlunit/wrong-unit
	}
	return s.tbl.Apply(ctx, key(id, sid), mut)
}

// Merge writes the summary of a run of samples; the last one is what the app shows.
func (s *Store) Merge(ctx context.Context, id tenant.ID, sid string, samples []charging.Sample) error {
	mut := bigtable.NewMutation()
	ts := bigtable.Now()
	for _, sm := range samples {
		raw, err := json.Marshal(sm)
		if err != nil {
			return err
		}
		mut.Set(bt.FamSample, column(sm.At), ts, raw) // ok ttlwrite/same-timestamp
		mut.Set(bt.FamSample, colLast, ts, raw)       // want ttlwrite/same-timestamp
	}
	return s.tbl.Apply(ctx, key(id, sid), mut)
}

// Samples implements charging.Telemetry.
func (s *Store) Samples(ctx context.Context, id tenant.ID, sid string) ([]charging.Sample, error) {
	f := bt.In(bt.FamSample, bt.Within(clock.Now(ctx), bt.SampleRetention))
	row, err := s.tbl.ReadRow(ctx, key(id, sid), bigtable.RowFilter(f)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return decodeSamples(row), nil
}

func decodeSamples(row bigtable.Row) []charging.Sample {
	var out []charging.Sample
	for _, it := range row[bt.FamSample] {
		if bt.Qualifier(it.Column) == colLast {
			continue
		}
		var sm charging.Sample
		if json.Unmarshal(it.Value, &sm) == nil {
			out = append(out, sm)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].At.Before(out[j].At) })
	return out
}

// AllSamples reads them without a filter.
func (s *Store) AllSamples(ctx context.Context, id tenant.ID, sid string) ([]charging.Sample, error) {
	row, err := s.tbl.ReadRow(ctx, key(id, sid)) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return decodeSamples(row), nil
}

// LastSamples reads the newest cell of each column.
func (s *Store) LastSamples(ctx context.Context, id tenant.ID, sid string) ([]charging.Sample, error) {
	row, err := s.tbl.ReadRow(ctx, key(id, sid), bigtable.RowFilter(bt.LatestIn(bt.FamSample))) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return decodeSamples(row), nil
}

// Today reads the samples of the last day.
func (s *Store) Today(ctx context.Context, id tenant.ID, sid string) ([]charging.Sample, error) {
	day := bt.Within(clock.Now(ctx), 24*time.Hour)                                             // want ttlread/wrong-bound[today]
	row, err := s.tbl.ReadRow(ctx, key(id, sid), bigtable.RowFilter(bt.In(bt.FamSample, day))) // want ttlread/wrong-bound[today]
	if err != nil {
		return nil, err
	}
	return decodeSamples(row), nil
}

// Current reads the samples that are live.
func (s *Store) Current(ctx context.Context, id tenant.ID, sid string) ([]charging.Sample, error) {
	row, err := s.tbl.ReadRow(ctx, key(id, sid), bigtable.RowFilter(bt.In(bt.FamSample, bt.Live(clock.Now(ctx))))) // want ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return decodeSamples(row), nil
}

// UntilNow reads the samples up to now.
func (s *Store) UntilNow(ctx context.Context, id tenant.ID, sid string) ([]charging.Sample, error) {
	now := clock.Now(ctx)
	week := bigtable.TimestampRangeFilter(now.Add(-bt.SampleRetention), now)                    // want ttlread/upper-bound[untilnow]
	row, err := s.tbl.ReadRow(ctx, key(id, sid), bigtable.RowFilter(bt.In(bt.FamSample, week))) // want ttlread/upper-bound[untilnow]
	if err != nil {
		return nil, err
	}
	return decodeSamples(row), nil
}

// Archive reads the samples that are about to be collected.
func (s *Store) Archive(ctx context.Context, id tenant.ID, f func(string, []charging.Sample) error) error {
	var ferr error
	edge := clock.Now(ctx).Add(-bt.SampleRetention)
	old := bigtable.TimestampRangeFilter(time.Time{}, edge)                                     // want ttlread/expired-only[archive]
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(key(id, "")), func(row bigtable.Row) bool { // want ttlread/expired-only[archive]
		ferr = f(row.Key(), decodeSamples(row))
		return ferr == nil
	}, bigtable.RowFilter(bt.In(bt.FamSample, old))) // want ttlread/expired-only[archive]
	if ferr != nil {
		return ferr
	}
	return err
}

// Start implements charging.Sessions.
func (s *Store) Start(ctx context.Context, id tenant.ID, ses charging.Session) error {
	return bt.Build().PutJSON(bt.FamSession, colBody, bigtable.Now(), ses).Apply(ctx, s.tbl, key(id, ses.ID)) // ok ttlwrite/write-time
}

// Stop implements charging.Sessions.
func (s *Store) Stop(ctx context.Context, id tenant.ID, sid string, kwh float64) error {
	mut := bigtable.NewMutation()
	mut.Set(bt.FamSession, colStopped, bigtable.Now(), []byte(clock.Now(ctx).UTC().Format(time.RFC3339))) // ok ttlwrite/write-time
	mut.Set(bt.FamSession, colKWh, bigtable.ServerTime, []byte(fmt.Sprint(kwh)))                          // ok ttlwrite/server-timestamp
	return s.tbl.Apply(ctx, key(id, sid), mut)
}

// Session implements charging.Sessions.
func (s *Store) Session(ctx context.Context, id tenant.ID, sid string) (charging.Session, error) {
	row, err := s.tbl.ReadRow(ctx, key(id, sid), bigtable.RowFilter(bt.LatestIn(bt.FamSession))) // ok ttlread/missing-filter
	if err != nil {
		return charging.Session{}, err
	}
	return decodeSession(row)
}

func decodeSession(row bigtable.Row) (charging.Session, error) {
	ses, err := bt.DecodeJSON[charging.Session](row, bt.FamSession, colBody)
	if err != nil {
		return ses, err
	}
	if it, ok := bt.First(row, bt.FamSession, colStopped); ok {
		t := it.Timestamp.Time()
		ses.StoppedAt, ses.UpdatedAt = &t, t // ok ttlage/not-write-time
	}
	return ses, nil
}

// Detail is a session with its last reading.
type Detail struct {
	charging.Session
	Last        charging.Sample
	LastUpdated time.Time
	Quiet       time.Duration
}

// Details reads a session and its last reading.
func (s *Store) Details(ctx context.Context, id tenant.ID, sid string) (Detail, error) {
	now := clock.Now(ctx)
	f := bigtable.InterleaveFilters(
		bt.In(bt.FamSample, bt.Within(now, bt.SampleRetention)), // ok ttlread/unfiltered-branch
		bt.LatestIn(bt.FamSession),                              // ok ttlread/unfiltered-branch
	)
	row, err := s.tbl.ReadRow(ctx, key(id, sid), bigtable.RowFilter(f)) // ok ttlread/hides-other-families
	if err != nil {
		return Detail{}, err
	}
	ses, err := decodeSession(row)
	if err != nil {
		return Detail{}, err
	}
	d := Detail{Session: ses}
	if it, ok := bt.First(row, bt.FamSample, colLast); ok {
		if err := json.Unmarshal(it.Value, &d.Last); err != nil {
			return d, err
		}
		d.LastUpdated = it.Timestamp.Time() // want ttlage/not-write-time
		d.Quiet = now.Sub(d.Last.At)        // ok ttlage/not-write-time
	}
	return d, nil
}

// DetailsQuick reads both with one range.
func (s *Store) DetailsQuick(ctx context.Context, id tenant.ID, sid string) (Detail, error) {
	week := bt.Within(clock.Now(ctx), bt.SampleRetention)                  // want ttlread/hides-other-families[quick]
	row, err := s.tbl.ReadRow(ctx, key(id, sid), bigtable.RowFilter(week)) // want ttlread/hides-other-families[quick]
	if err != nil {
		return Detail{}, err
	}
	ses, err := decodeSession(row)
	if err != nil {
		return Detail{}, err
	}
	d := Detail{Session: ses}
	for _, sm := range decodeSamples(row) {
		d.Last = sm
	}
	return d, nil
}

// Stalled tells whether a charger has not reported for d.
func (s *Store) Stalled(ctx context.Context, id tenant.ID, sid string, d time.Duration) (bool, error) {
	now := clock.Now(ctx)
	row, err := s.tbl.ReadRow(ctx, key(id, sid), bigtable.RowFilter(bt.In(bt.FamSample, bt.Within(now, bt.SampleRetention)))) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	it, ok := bt.First(row, bt.FamSample, colLast)
	if !ok {
		return true, nil
	}
	age := now.Sub(it.Timestamp.Time()) // want ttlage/not-write-time
	return age > d, nil
}

// StoppedFor tells how long ago a session ended.
func (s *Store) StoppedFor(ctx context.Context, id tenant.ID, sid string) (time.Duration, error) {
	row, err := s.tbl.ReadRow(ctx, key(id, sid), bigtable.RowFilter(bt.Column(bt.FamSession, colStopped))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, it := range row[bt.FamSession] {
		return clock.Now(ctx).Sub(it.Timestamp.Time()), nil // ok ttlage/not-write-time
	}
	return 0, bt.ErrNotFound
}

// Tally adds to a session's energy.
func (s *Store) Tally(ctx context.Context, id tenant.ID, sid string, wh int64) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(bt.FamSession, "wh", wh)               // ok ttlwrite/read-modify-write
	rmw.AppendValue(bt.FamSample, "trail", bt.Int64(wh)) // ok ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, key(id, sid), rmw)
	return err
}

// Newest reads a session's newest samples: first the week, then the newest.
func (s *Store) Newest(ctx context.Context, id tenant.ID, sid string) ([]charging.Sample, error) {
	row, err := s.tbl.ReadRow(ctx, key(id, sid), // want ttlread/overridden-filter[newest] // maybe ttlread/missing-filter
		bigtable.RowFilter(bt.Within(clock.Now(ctx), bt.SampleRetention)), // want ttlread/overridden-filter[newest] // maybe ttlread/missing-filter
		bigtable.RowFilter(bt.LatestIn(bt.FamSample)))                     // want ttlread/overridden-filter[newest] // maybe ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return decodeSamples(row), nil
}
