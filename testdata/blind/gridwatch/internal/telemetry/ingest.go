// Package telemetry stores readings. Raw samples live in a family whose default
// lifetime is a week; a sample that shall live longer or shorter has its timestamp
// moved. Rollups are ordinary cells.
package telemetry

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"
	"golang.org/x/sync/errgroup"

	"example.com/gridwatch/internal/bus"
	"example.com/gridwatch/internal/events"
	"example.com/gridwatch/internal/metrics"
	"example.com/gridwatch/internal/retry"
	"example.com/gridwatch/internal/sink"
	"example.com/gridwatch/internal/store"
)

// bootedAt labels the samples that were replayed after a restart.
var bootedAt = time.Now() // want ttlwrite/stale-clock[replay] ttlread/stale-bound[sinceboot]

// ErrBadSample is returned for values that cannot be stored.
var ErrBadSample = errors.New("telemetry: bad sample")

// Class says how long a sample is of use.
type Class int

// Classes.
const (
	Normal Class = iota
	Debug
	Legal
)

// lifetimes by class; Normal has the default.
var lifetimes = map[Class]time.Duration{
	Debug: 6 * time.Hour,
	Legal: 90 * 24 * time.Hour,
}

// Sample is a reading with its class.
type Sample struct {
	events.Reading
	Class Class
}

// Key is the row of a sample: device, sensor, day.
func (s Sample) Key() string {
	return fmt.Sprintf("%s#%s#%s", events.ReverseKey(s.Device), s.Sensor, s.TakenAt.UTC().Format("20060102"))
}

func encode(v float64) []byte {
	b := make([]byte, 8)
	binary.BigEndian.PutUint64(b, math.Float64bits(v))
	return b
}

func decode(b []byte) float64 {
	if len(b) != 8 {
		return math.NaN()
	}
	return math.Float64frombits(binary.BigEndian.Uint64(b))
}

// Ingester writes samples.
type Ingester struct {
	tbl  *bigtable.Table
	out  *sink.Sink
	reg  *metrics.Registry
	size int
}

// NewIngester returns an ingester that writes through out.
func NewIngester(t *store.Tables, out *sink.Sink, reg *metrics.Registry) *Ingester {
	return &Ingester{tbl: t.Telemetry, out: out, reg: reg, size: 256}
}

// Run consumes samples with n workers.
func (g *Ingester) Run(ctx context.Context, n int, in <-chan Sample) error {
	writes, wait := bus.Map(ctx, n, in, g.encode)
	for w := range writes {
		select {
		case g.out.Writes() <- w:
			g.reg.Counter("telemetry.samples").Inc()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return wait()
}

func (g *Ingester) encode(_ context.Context, s Sample) (sink.Write, error) {
	if math.IsNaN(s.Value) || math.IsInf(s.Value, 0) {
		return sink.Write{}, fmt.Errorf("%w: %s/%s is %v", ErrBadSample, s.Device, s.Sensor, s.Value)
	}
	mut := bigtable.NewMutation()
	switch s.Class {
	case Debug:
		mut.Set(store.FamRaw, "v", store.Shifted(store.RawTTL, 6*time.Hour), encode(s.Value))   // ok ttlwrite/already-expired
		mut.Set(store.FamRaw, "unit", store.Shifted(store.RawTTL, 6*time.Hour), []byte(s.Unit)) // ok ttlwrite/already-expired
	case Legal:
		mut.Set(store.FamRaw, "v", store.Shifted(store.RawTTL, 90*24*time.Hour), encode(s.Value)) // ok ttlwrite/already-expired
		mut.Set(store.FamRaw, "unit", store.Shifted(store.RawTTL, 90*24*time.Hour), []byte(s.Unit))
	default:
		mut.Set(store.FamRaw, "v", bigtable.ServerTime, encode(s.Value)) // ok ttlwrite/server-timestamp
		mut.Set(store.FamRaw, "unit", bigtable.Now(), []byte(s.Unit))    // ok ttlwrite/write-time
	}
	return sink.Write{Key: s.Key(), Mut: mut}, nil
}

// Scrub writes a value that shall go with the next collection.
func (g *Ingester) Scrub(ctx context.Context, s Sample) error {
	mut := bigtable.NewMutation()
	mut.Set(store.FamRaw, "v", bigtable.Time(time.Now().Add(-store.RawTTL)), nil)                   // want ttlwrite/already-expired
	mut.Set(store.FamRaw, "scrubbed", bigtable.Time(time.Now().Add(-time.Hour)), []byte("1"))       // ok ttlwrite/already-expired
	mut.Set(store.FamRollup, "scrubbed", bigtable.Time(time.Now().Add(-store.RawTTL)), []byte("1")) // ok ttlwrite/already-expired
	return g.tbl.Apply(ctx, s.Key(), mut)
}

// Seed writes calibration constants that must never hide a measurement.
func (g *Ingester) Seed(ctx context.Context, key string, offset float64) error {
	return retry.Do(ctx, retry.Default, func(ctx context.Context) error {
		mut := bigtable.NewMutation()
		mut.Set(store.FamRaw, "offset", 0, encode(offset))    // want ttlwrite/already-expired
		mut.Set(store.FamRollup, "offset", 0, encode(offset)) // ok ttlwrite/already-expired
		return g.tbl.Apply(ctx, key, mut)
	})
}

// Replay writes samples that were spooled to disk while the instance was away.
func (g *Ingester) Replay(ctx context.Context, in <-chan Sample) error {
	for s := range in {
		mut := bigtable.NewMutation()
		mut.Set(store.FamRaw, "v", bigtable.Time(bootedAt), encode(s.Value))         // want ttlwrite/stale-clock[replay]
		mut.Set(store.FamRaw, "taken", bigtable.Time(s.TakenAt), encode(s.Value))    // ok ttlwrite/stale-clock
		mut.Set(store.FamRollup, "booted", bigtable.Time(bootedAt), encode(s.Value)) // ok ttlwrite/stale-clock
		if err := g.out.Put(ctx, s.Key(), mut); err != nil {
			return err
		}
	}
	return nil
}

// Bump counts samples per row; read-modify-write is fine with the default lifetime.
func (g *Ingester) Bump(ctx context.Context, key string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(store.FamRaw, "n", 1)    // ok ttlwrite/read-modify-write
	rmw.Increment(store.FamRollup, "n", 1) // ok ttlwrite/read-modify-write
	_, err := g.tbl.ApplyReadModifyWrite(ctx, key, rmw)
	return err
}

// Aggregate is a rollup in the making.
type Aggregate struct {
	Key   string
	Start time.Time
	N     int
	Sum   float64
	Min   float64
	Max   float64
}

// Add takes a value in.
func (a *Aggregate) Add(v float64) {
	if a.N == 0 || v < a.Min {
		a.Min = v
	}
	if a.N == 0 || v > a.Max {
		a.Max = v
	}
	a.N++
	a.Sum += v
}

// Mean is the arithmetic mean.
func (a *Aggregate) Mean() float64 {
	if a.N == 0 {
		return math.NaN()
	}
	return a.Sum / float64(a.N)
}

// Rollups aggregates samples in windows and writes each window once.
func (g *Ingester) Rollups(ctx context.Context, in <-chan Sample, window time.Duration) error {
	eg, ctx := errgroup.WithContext(ctx)
	for _, part := range bus.Partition(ctx, in, 8, Sample.Key) {
		eg.Go(func() error { return g.rollup(ctx, part, window) })
	}
	return eg.Wait()
}

func (g *Ingester) rollup(ctx context.Context, in <-chan Sample, window time.Duration) error {
	open := map[string]*Aggregate{}
	tick := time.NewTicker(window / 4)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case s, ok := <-in:
			if !ok {
				return g.emit(ctx, open, time.Time{})
			}
			start := s.TakenAt.Truncate(window)
			k := s.Key() + "@" + start.Format(time.RFC3339)
			a := open[k]
			if a == nil {
				a = &Aggregate{Key: s.Key(), Start: start}
				open[k] = a
			}
			a.Add(s.Value)
		case now := <-tick.C:
			if err := g.emit(ctx, open, now.Add(-window)); err != nil {
				return err
			}
		}
	}
}

func (g *Ingester) emit(ctx context.Context, open map[string]*Aggregate, before time.Time) error {
	for k, a := range open {
		if !before.IsZero() && !a.Start.Before(before) {
			continue
		}
		delete(open, k)
		mut := bigtable.NewMutation()
		ts := bigtable.Time(a.Start)
		mut.Set(store.FamRollup, "n", ts, []byte(fmt.Sprint(a.N))) // ok ttlwrite/same-timestamp
		mut.Set(store.FamRollup, "mean", ts, encode(a.Mean()))
		mut.Set(store.FamRollup, "min", ts, encode(a.Min))
		mut.Set(store.FamRollup, "max", ts, encode(a.Max))
		if err := g.out.Put(ctx, a.Key, mut); err != nil {
			return err
		}
	}
	return nil
}

// Quality records why a sample was dropped.
type Quality struct {
	mu  sync.Mutex
	out chan<- sink.Cell
	bad map[string]int
}

// NewQuality returns a recorder that feeds out.
func NewQuality(out chan<- sink.Cell) *Quality {
	return &Quality{out: out, bad: map[string]int{}}
}

// Drop takes one dropped sample down.
func (q *Quality) Drop(s Sample, why error) {
	q.mu.Lock()
	q.bad[s.Sensor]++
	n := q.bad[s.Sensor]
	q.mu.Unlock()
	q.out <- sink.Cell{Row: s.Key(), Family: store.FamRaw, Column: "why", TS: bigtable.ServerTime, Value: []byte(why.Error())} // ok ttlwrite/server-timestamp
	q.out <- sink.Cell{Row: s.Key(), Family: store.FamRaw, Column: "bad", TS: 0, Value: fmt.Append(nil, n)}                    // want ttlwrite/already-expired
	q.out <- sink.Cell{Row: s.Key(), Family: store.FamRollup, Column: "bad", TS: 0, Value: fmt.Append(nil, n)}                 // ok ttlwrite/already-expired
}
