// Package backfill replays events and fills in what was never computed. Its
// times are those of the events, not the present.
package backfill

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/featureplat/btx"
	"example.com/featureplat/schema"
)

// Epochs of the platform. Backfills that have no event time use them.
var (
	launch   = time.Date(2021, time.March, 1, 0, 0, 0, 0, time.UTC)
	rewrite  = time.Date(2023, time.June, 15, 0, 0, 0, 0, time.UTC)
	forever  = time.Date(9999, time.December, 31, 0, 0, 0, 0, time.UTC)
	farAhead = time.Date(2120, time.January, 1, 0, 0, 0, 0, time.UTC)
)

// Event is a raw event with the revision that scored it.
type Event struct {
	ID      string
	Entity  btx.Entity
	Payload []byte
	Model   string
	At      time.Time
}

// Job is one backfill.
type Job struct {
	events  *bigtable.Table
	online  *bigtable.Table
	exper   *bigtable.Table
	models  *bigtable.Table
	last    *bigtable.Table
	scratch *bigtable.Table
	log     *slog.Logger
}

// NewJob opens what a backfill reads and writes.
func NewJob(client *bigtable.Client, log *slog.Logger) *Job {
	return &Job{
		events:  client.Open(schema.Events),
		online:  client.Open(schema.Online),
		exper:   client.Open(schema.Experiments),
		models:  client.Open(schema.Models),
		last:    client.Open(schema.Last),
		scratch: client.Open(schema.Scratch),
		log:     log,
	}
}

func decodeEvent(row bigtable.Row) (Event, error) {
	ev := Event{ID: row.Key()}
	if it, ok := btx.First(row, schema.FamRaw, schema.ColPayload); ok {
		ev.Payload, ev.At = it.Value, it.Timestamp.Time() // ok ttlage/not-write-time
	}
	if it, ok := btx.First(row, schema.FamRev, "model"); ok {
		ev.Model = string(it.Value)
	}
	return ev, nil
}

// Events iterates over the events of a window of time.
func (j *Job) Events(ctx context.Context, from, to time.Time) iter.Seq2[Event, error] {
	return btx.Decode(ctx, j.events, bigtable.InfiniteRange(""), decodeEvent, bigtable.RowFilter(btx.Between(from, to))) // ok ttlread/wrong-bound ttlread/upper-bound ttlread/hides-other-families
}

// LastDay iterates over the events of the last day.
func (j *Job) LastDay(ctx context.Context) iter.Seq2[Event, error] {
	now := time.Now()
	f := btx.Family(schema.FamRev, btx.Between(now.Add(-24*time.Hour), now))
	return btx.Decode(ctx, j.events, bigtable.InfiniteRange(""), decodeEvent, bigtable.RowFilter(f)) // ok ttlread/wrong-bound
}

// ModelsOfDay iterates over the model rows that changed on the last day.
func (j *Job) ModelsOfDay(ctx context.Context) ([]string, error) {
	var out []string
	now := time.Now()
	f := btx.Family(schema.FamRev, btx.Between(now.Add(-24*time.Hour), now))                           // want ttlread/wrong-bound[modelday]
	for row, err := range btx.Scan(ctx, j.models, bigtable.InfiniteRange(""), bigtable.RowFilter(f)) { // want ttlread/wrong-bound[modelday]
		if err != nil {
			return nil, err
		}
		for _, it := range row[schema.FamRev] {
			out = append(out, it.Row+" "+string(it.Value))
		}
	}
	return out, nil
}

// Replay computes features of events again, under the events' times.
func (j *Job) Replay(ctx context.Context, evs iter.Seq2[Event, error], compute func(Event) (map[string]float64, error)) error {
	w := btx.NewWriter(j.online, 500, j.log)
	for ev, err := range evs {
		if err != nil {
			return err
		}
		fs, err := compute(ev)
		if err != nil {
			j.log.Warn("compute", "event", ev.ID, "err", err)
			continue
		}
		m := bigtable.NewMutation()
		for name, v := range fs {
			m.Set(schema.FamValue, name, bigtable.Time(ev.At), btx.EncodeFloat(v)) // ok ttlwrite/already-expired
		}
		m.Set(schema.FamMeta, "replayed", bigtable.Now(), nil) // ok ttlwrite/write-time
		if err := w.Add(ctx, ev.Entity.Key(), m); err != nil {
			return err
		}
	}
	return w.Flush(ctx)
}

// Seed writes what entities had when the platform began.
func (j *Job) Seed(ctx context.Context, e btx.Entity, fs map[string]float64) error {
	m := bigtable.NewMutation()
	for name, v := range fs {
		m.Set(schema.FamValue, name, bigtable.Time(launch), btx.EncodeFloat(v)) // want ttlwrite/already-expired
	}
	m.Set(schema.FamMeta, schema.ColOwner, bigtable.Time(launch), []byte("platform")) // ok ttlwrite/already-expired
	return j.online.Apply(ctx, e.Key(), m)
}

// SeedLast writes last values as of the rewrite.
func (j *Job) SeedLast(ctx context.Context, e btx.Entity, v float64) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamLast, "seed", bigtable.Time(rewrite), btx.EncodeFloat(v)) // want ttlwrite/clock-in-zero
	m.Set(schema.FamStat, "seed", bigtable.Time(rewrite), nil)                // ok ttlwrite/clock-in-zero
	return j.last.Apply(ctx, e.Key(), m)
}

// SeedModel writes the first revision of a model as of the rewrite.
func (j *Job) SeedModel(ctx context.Context, model string, spec []byte) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamRev, schema.ColSpec, bigtable.Time(rewrite), spec) // want ttlwrite/clock-in-sequence
	m.Set(schema.FamAudit, "seed", bigtable.Time(rewrite), spec)       // ok ttlwrite/clock-in-sequence
	return j.models.Apply(ctx, model, m)
}

// SeedModels writes first revisions, one after the other.
func (j *Job) SeedModels(ctx context.Context, model string, specs iter.Seq[[]byte]) error {
	n := 0
	for spec := range specs {
		n++
		if err := btx.Put(ctx, j.models, model, schema.FamRev, schema.ColSpec, btx.Number(n), spec); err != nil { // want ttlwrite/unscaled-sequence
			return err
		}
		if err := btx.Put(ctx, j.models, model, schema.FamRev, schema.ColMetrics, btx.Seq(int64(n)), nil); err != nil { // ok ttlwrite/unscaled-sequence
			return err
		}
	}
	return nil
}

// Hold gives units leases that never end.
func (j *Job) Hold(ctx context.Context, units []string, variant string) error {
	for _, u := range units {
		m := bigtable.NewMutation()
		m.Set(schema.FamLease, schema.ColHolder, bigtable.Time(forever), []byte(variant)) // want ttlunit/out-of-range
		if err := j.exper.Apply(ctx, u, m); err != nil {
			return err
		}
	}
	return nil
}

// HoldLong gives units leases that outlive us.
func (j *Job) HoldLong(ctx context.Context, units []string, variant string) error {
	for _, u := range units {
		m := bigtable.NewMutation()
		m.Set(schema.FamLease, schema.ColHolder, bigtable.Time(farAhead), []byte(variant)) // ok ttlunit/out-of-range ttlwrite/already-expired
		if err := j.exper.Apply(ctx, u, m); err != nil {
			return err
		}
	}
	return nil
}

// HoldAgain writes leases that a crash lost.
func (j *Job) HoldAgain(ctx context.Context, units map[string]string) error {
	for u, variant := range units {
		m := bigtable.NewMutation()
		m.Set(schema.FamLease, schema.ColHolder, bigtable.ServerTime, []byte(variant)) // want ttlwrite/server-timestamp
		m.Set(schema.FamInfo, "restored", bigtable.ServerTime, nil)                    // ok ttlwrite/server-timestamp
		if err := j.exper.Apply(ctx, u, m); err != nil {
			return err
		}
	}
	return nil
}

// Unknown marks entities whose time nobody knows.
func (j *Job) Unknown(ctx context.Context, e btx.Entity) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamMeta, "unknown", bigtable.Time(time.Time{}), nil)   // want ttlunit/out-of-range
	m.Set(schema.FamMeta, "known", bigtable.Time(time.Unix(0, 0)), nil) // ok ttlunit/out-of-range
	return j.online.Apply(ctx, e.Key(), m)
}

// HourCounts adds to aggregates, an accumulator an hour.
func (j *Job) HourCounts(ctx context.Context, e btx.Entity, n int64) error {
	m := bigtable.NewMutation()
	hour := bigtable.Time(time.Now().Truncate(time.Hour))
	m.AddIntToCell(schema.FamStat, "events_h", hour, n)              // ok ttlwrite/aggregate-server-time
	m.AddIntToCell(schema.FamStat, "events", bigtable.ServerTime, n) // want ttlwrite/aggregate-server-time
	return j.last.Apply(ctx, e.Key(), m)
}

// Between2023 reads the events of the year of the rewrite.
func (j *Job) Between2023(ctx context.Context) iter.Seq2[Event, error] {
	f := bigtable.TimestampRangeFilter(rewrite, launch)                                              // want ttlunit/empty-range[year]
	return btx.Decode(ctx, j.events, bigtable.InfiniteRange(""), decodeEvent, bigtable.RowFilter(f)) // want ttlunit/empty-range[year]
}

// SinceRewrite reads the events before the rewrite.
func (j *Job) SinceRewrite(ctx context.Context) iter.Seq2[Event, error] {
	f := bigtable.TimestampRangeFilter(launch, rewrite)
	return btx.Decode(ctx, j.events, bigtable.InfiniteRange(""), decodeEvent, bigtable.RowFilter(f)) // ok ttlunit/empty-range
}

// Entities iterates over the live values of a kind, feature by feature.
func (j *Job) Entities(ctx context.Context, kind string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		opts := []bigtable.ReadOption{bigtable.LimitRows(10_000)}
		for row, err := range btx.Scan(ctx, j.online, bigtable.PrefixRange(kind+"#"), opts...) { // want ttlread/missing-filter
			if err != nil {
				yield("", err)
				return
			}
			for name := range btx.Items(row, schema.FamValue) {
				if !yield(row.Key()+" "+name, nil) {
					return
				}
			}
		}
	}
}

// Missing lists entities that have an owner and no features.
func (j *Job) Missing(ctx context.Context, kind string) ([]string, error) {
	var out []string
	f := bigtable.InterleaveFilters(btx.Cell(schema.FamMeta, schema.ColOwner), btx.Family(schema.FamValue, bigtable.LatestNFilter(1))) // want ttlread/unfiltered-branch[missing]
	err := j.online.ReadRows(ctx, bigtable.PrefixRange(kind+"#"), func(row bigtable.Row) bool {                                        // want ttlread/unfiltered-branch[missing]
		if len(row[schema.FamMeta]) > 0 && len(row[schema.FamValue]) == 0 {
			out = append(out, row.Key())
		}
		return true
	}, bigtable.RowFilter(f)) // want ttlread/unfiltered-branch[missing]
	return out, err
}

// Windows copies the open windows of an entity into the scratch table.
func (j *Job) Windows(ctx context.Context, e btx.Entity) error {
	row, err := j.online.ReadRow(ctx, e.Key(), bigtable.RowFilter(bigtable.FamilyFilter(schema.FamWindow))) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	for name, it := range btx.Items(row, schema.FamWindow) {
		m.Set(schema.FamWindow, name, it.Timestamp, it.Value)
	}
	return j.scratch.Apply(ctx, e.Key(), m)
}

// WindowsDay reads the windows of the last day.
func (j *Job) WindowsDay(ctx context.Context, e btx.Entity) (int, error) {
	row, err := j.online.ReadRow(ctx, e.Key(), bigtable.RowFilter(btx.Family(schema.FamWindow, btx.Within(24*time.Hour)))) // want ttlread/wrong-bound
	if err != nil {
		return 0, err
	}
	n := 0
	for _, it := range btx.Items(row, schema.FamWindow) {
		n += len(it.Value)
	}
	return n, nil
}

// WindowsSecond reads the windows with a second to spare.
func (j *Job) WindowsSecond(ctx context.Context, e btx.Entity) (int, error) {
	row, err := j.online.ReadRow(ctx, e.Key(), bigtable.RowFilter(btx.Family(schema.FamWindow, btx.Within(time.Second)))) // ok ttlread/wrong-bound
	if err != nil {
		return 0, err
	}
	n := 0
	for _, it := range btx.Items(row, schema.FamWindow) {
		n += len(it.Value)
	}
	return n, nil
}

// Imported reads the scratch table.
func (j *Job) Imported(ctx context.Context, e btx.Entity) (map[string]float64, error) {
	row, err := j.scratch.ReadRow(ctx, e.Key()) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := map[string]float64{}
	for name, it := range btx.Items(row, schema.FamValue) {
		v, err := btx.DecodeFloat(it.Value)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", e.Key(), name, err)
		}
		out[name] = v
		if time.Since(it.Timestamp.Time()) > 72*time.Hour { // ok ttlage/not-write-time
			j.log.Warn("old import", "entity", e.Key(), "feature", name)
		}
	}
	return out, nil
}
