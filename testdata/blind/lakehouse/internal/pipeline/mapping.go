// Package pipeline is the second generation of the importers: mappings are
// tables, sinks are values, stages are joined by channels.
package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/lakehouse/internal/etl"
	"example.com/lakehouse/internal/schema"
)

// Record is what flows.
type Record map[string]string

// Key is the record's row key.
func (r Record) Key() string { return etl.Key(r["source"], r["id"]) }

// Stamp chooses the timestamp of a cell.
type Stamp func(Record) bigtable.Timestamp

// Now stamps with the write time.
func Now(Record) bigtable.Timestamp { return bigtable.Now() }

// Zero stamps with zero.
func Zero(Record) bigtable.Timestamp { return 0 }

// For stamps with the end of a lifetime.
func For(d time.Duration) Stamp {
	return func(Record) bigtable.Timestamp { return bigtable.Time(time.Now().Add(d)) }
}

// Jittered is For with up to ten per cent more.
func Jittered(d time.Duration) Stamp {
	return func(Record) bigtable.Timestamp {
		return bigtable.Time(time.Now().Add(d + rand.N(d/10)))
	}
}

// Target maps a field to a column.
type Target struct {
	Family, Column string
	Field          string
	Stamp          Stamp
}

// clickTargets is the mapping of the app's clicks.
var clickTargets = []Target{
	{schema.FamEvent, "url", "url", Now},                                 // ok ttlwrite/write-time
	{schema.FamEvent, "user", "user", Now},                               // ok ttlwrite/write-time
	{schema.FamSession, "last", "url", For(schema.SessionTTL)},           // ok ttlwrite/write-time
	{schema.FamSession, "device", "device", Jittered(schema.SessionTTL)}, // ok ttlwrite/write-time
	{schema.FamSession, "country", "country", Now},                       // want ttlwrite/write-time[country]
	{schema.FamMeta, "version", "version", Now},                          // ok ttlwrite/write-time
}

// totalTargets is the mapping of precomputed totals.
var totalTargets = []Target{
	{schema.FamAgg, "total", "sum", Zero}, // ok ttlwrite/clock-in-zero
	{schema.FamAgg, "n", "n", Zero},       // ok ttlwrite/clock-in-zero
	{schema.FamAgg, "asof", "day", Now},   // want ttlwrite/clock-in-zero[asof]
	{schema.FamCount, "loads", "n", Now},  // ok ttlwrite/clock-in-zero
}

// Clicks writes records of the app.
func Clicks(ctx context.Context, tbl bigtable.TableAPI, recs []Record) error {
	var keys []string
	var muts []*bigtable.Mutation
	for _, r := range recs {
		m := bigtable.NewMutation()
		for _, t := range clickTargets {
			if v, ok := r[t.Field]; ok {
				m.Set(t.Family, t.Column, t.Stamp(r), []byte(v)) // want ttlwrite/write-time[country]
			}
		}
		keys, muts = append(keys, r.Key()), append(muts, m)
	}
	errs, err := tbl.ApplyBulk(ctx, keys, muts)
	return errors.Join(append(errs, err)...)
}

// Totals writes records of totals.
func Totals(ctx context.Context, tbl bigtable.TableAPI, recs []Record) error {
	for _, r := range recs {
		m := bigtable.NewMutation()
		for _, t := range totalTargets {
			m.Set(t.Family, t.Column, t.Stamp(r), []byte(r[t.Field])) // want ttlwrite/clock-in-zero[asof]
		}
		if err := tbl.Apply(ctx, r.Key(), m); err != nil {
			return err
		}
	}
	return nil
}

// Upsert writes v as JSON into one cell.
func Upsert[T any](ctx context.Context, tbl bigtable.TableAPI, key, family, column string, ts bigtable.Timestamp, v T) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(family, column, ts, b)
	return tbl.Apply(ctx, key, m)
}

// Fetch reads v back; the options decide what is live.
func Fetch[T any](ctx context.Context, tbl bigtable.TableAPI, key, family, column string, opts ...bigtable.ReadOption) (v T, ok bool, err error) {
	row, err := tbl.ReadRow(ctx, key, opts...)
	if err != nil {
		return v, false, err
	}
	b := etl.First(row, family, column)
	if b == nil {
		return v, false, nil
	}
	return v, true, json.Unmarshal(b, &v)
}

// Profile is a user's profile for serving.
type Profile struct {
	Segment string   `json:"segment"`
	Tags    []string `json:"tags"`
}

// Profiles keeps profiles beside the features.
type Profiles struct{ tbl bigtable.TableAPI }

// NewProfiles opens the features table.
func NewProfiles(c *bigtable.Client) *Profiles {
	return &Profiles{tbl: c.OpenTable(schema.TableFeatures)}
}

// Put writes the serving copy and the lasting one.
func (p *Profiles) Put(ctx context.Context, user string, v Profile) error {
	return errors.Join(
		Upsert(ctx, p.tbl, user, schema.FamOnline, "profile", etl.ExpiresIn(schema.OnlineTTL), v), // ok ttlwrite/write-time
		Upsert(ctx, p.tbl, user, schema.FamOnline, "tags", bigtable.Now(), v.Tags),                // want ttlwrite/write-time
		Upsert(ctx, p.tbl, user, schema.FamEntity, "profile", bigtable.Now(), v),                  // ok ttlwrite/write-time
	)
}

// Get reads the serving copy.
func (p *Profiles) Get(ctx context.Context, user string) (Profile, error) {
	v, _, err := Fetch[Profile](ctx, p.tbl, user, schema.FamOnline, "profile", bigtable.RowFilter(etl.InFamily(schema.FamOnline, etl.Live(), etl.Newest()))) // ok ttlread/missing-filter
	return v, err
}

// Tags reads the other one.
func (p *Profiles) Tags(ctx context.Context, user string) ([]string, error) {
	v, _, err := Fetch[[]string](ctx, p.tbl, user, schema.FamOnline, "tags", bigtable.RowFilter(etl.Newest())) // want ttlread/missing-filter
	return v, err
}

// Lasting reads the lasting one.
func (p *Profiles) Lasting(ctx context.Context, user string) (Profile, error) {
	v, _, err := Fetch[Profile](ctx, p.tbl, user, schema.FamEntity, "profile", bigtable.RowFilter(etl.InFamily(schema.FamEntity, etl.Newest()))) // ok ttlread/missing-filter
	return v, err
}

// batchTime is the time of the batch: one for all its records.
var batchTime = sync.OnceValue(time.Now) // want ttlwrite/stale-clock[batch]

// Sink writes records of one family.
type Sink struct {
	tbl    bigtable.TableAPI
	family string
	stamp  bigtable.Timestamp
	mu     sync.Mutex
	seq    int64
}

// NewSink makes a sink that stamps every record alike.
func NewSink(tbl bigtable.TableAPI, family string, stamp bigtable.Timestamp) *Sink {
	return &Sink{tbl: tbl, family: family, stamp: stamp}
}

// Write writes a record.
func (s *Sink) Write(ctx context.Context, r Record) error {
	m := bigtable.NewMutation()
	for k, v := range r {
		m.Set(s.family, k, s.stamp, []byte(v)) // want ttlwrite/server-timestamp[sink] ttlwrite/clock-in-sequence[sink]
	}
	return s.tbl.Apply(ctx, r.Key(), m)
}

// Number writes a numbered record.
func (s *Sink) Number(ctx context.Context, r Record) error {
	s.mu.Lock()
	s.seq += 1
	n := s.seq
	s.mu.Unlock()
	m := bigtable.NewMutation()
	m.Set(schema.FamOffset, "last", bigtable.Timestamp(n*1000), []byte(r.Key())) // ok ttlwrite/unscaled-sequence
	m.Set(schema.FamOffset, "count", bigtable.Timestamp(n), etl.Int64(n))        // want ttlwrite/unscaled-sequence
	return s.tbl.Apply(ctx, r["source"], m)
}

// Sinks makes the sinks of the platform.
func Sinks(c *bigtable.Client) map[string]*Sink {
	return map[string]*Sink{
		"clicks": NewSink(c.OpenTable(schema.TableClicks), schema.FamEvent, bigtable.ServerTime),      // ok ttlwrite/server-timestamp
		"meta":   NewSink(c.OpenTable(schema.TableClicks), schema.FamMeta, bigtable.ServerTime),       // ok ttlwrite/server-timestamp
		"seen":   NewSink(c.OpenTable(schema.TableDedup), schema.FamSeen, bigtable.ServerTime),        // want ttlwrite/server-timestamp[sink]
		"totals": NewSink(c.OpenTable(schema.TableAgg), schema.FamAgg, 0),                             // ok ttlwrite/clock-in-zero
		"marks":  NewSink(c.OpenTable(schema.TableOffsets), schema.FamWatermark, bigtable.ServerTime), // want ttlwrite/clock-in-sequence[sink]
		"mirror": NewSink(c.OpenTable(schema.TableWarehouse), schema.FamSeen, bigtable.ServerTime),    // ok ttlwrite/server-timestamp
	}
}

// Batch marks the ids of a batch as seen, all until the same moment.
func Batch(ctx context.Context, c *bigtable.Client, ids []string) error {
	t := c.OpenTable(schema.TableDedup)
	for _, id := range ids {
		m := bigtable.NewMutation()
		m.Set(schema.FamSeen, "id", bigtable.Time(batchTime().Add(schema.SeenTTL)), nil) // want ttlwrite/stale-clock[batch]
		if err := t.Apply(ctx, id, m); err != nil {
			return fmt.Errorf("mark %s: %w", id, err)
		}
	}
	return nil
}

// LiveTable reads only what has not expired.
type LiveTable struct{ bigtable.TableAPI }

// ReadRow adds the live filter.
func (t LiveTable) ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	return t.TableAPI.ReadRow(ctx, row, append(opts, bigtable.RowFilter(etl.Live()))...)
}

// Seen reads through the decorator.
func Seen(ctx context.Context, c *bigtable.Client, id string) (bool, error) {
	t := LiveTable{c.OpenTable(schema.TableDedup)}
	row, err := t.ReadRow(ctx, id) // ok ttlread/missing-filter
	return len(row[schema.FamSeen]) > 0, err
}

// SeenAny forgets it.
func SeenAny(ctx context.Context, c *bigtable.Client, id string) (bool, error) {
	t := LiveTable{c.OpenTable(schema.TableDedup)}
	row, err := t.TableAPI.ReadRow(ctx, id) // want ttlread/missing-filter
	return len(row[schema.FamSeen]) > 0, err
}

// write is a row on its way.
type write struct {
	key string
	mut *bigtable.Mutation
}

// Stream marks, counts and stores records as they come.
func Stream(ctx context.Context, c *bigtable.Client, in <-chan Record) error {
	seen, agg := make(chan write, 64), make(chan write, 64)
	var wg sync.WaitGroup
	var errs [2]error
	wg.Go(func() { errs[0] = drain(ctx, c.OpenTable(schema.TableDedup), seen) })
	wg.Go(func() { errs[1] = drain(ctx, c.OpenTable(schema.TableAgg), agg) })
	for r := range in {
		m := bigtable.NewMutation()
		m.Set(schema.FamSeen, "id", etl.ExpiresIn(schema.SeenTTL), nil)     // ok ttlwrite/write-time
		m.Set(schema.FamSeen, "first", bigtable.Now(), []byte(r["source"])) // want ttlwrite/write-time
		seen <- write{r.Key(), m}
		a := bigtable.NewMutation()
		a.Set(schema.FamAgg, "last", 0, []byte(r["id"]))                       // ok ttlwrite/clock-in-zero
		a.Set(schema.FamAgg, "last_at", bigtable.ServerTime, []byte(r["id"]))  // want ttlwrite/clock-in-zero
		a.Set(schema.FamHour, "last_at", bigtable.ServerTime, []byte(r["id"])) // ok ttlwrite/server-timestamp
		agg <- write{r["source"], a}
	}
	close(seen)
	close(agg)
	wg.Wait()
	return errors.Join(errs[:]...)
}

func drain(ctx context.Context, tbl bigtable.TableAPI, in <-chan write) error {
	var errs []error
	for w := range in {
		if err := tbl.Apply(ctx, w.key, w.mut); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
