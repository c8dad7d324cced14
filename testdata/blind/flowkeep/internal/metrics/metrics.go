// Package metrics counts, and writes the counts of each minute to a table of its own.
package metrics

import (
	"context"
	"fmt"
	"sort"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/flowkeep/internal/bt"
	"example.com/flowkeep/internal/codec"
)

// Table is not registered: ordinary data under an ordinary age.
const Table = "flow-metrics"

// Registry holds counters by name.
type Registry struct {
	mu       sync.Mutex
	counters map[string]*atomic.Int64
}

// NewRegistry returns an empty registry.
func NewRegistry() *Registry { return &Registry{counters: map[string]*atomic.Int64{}} }

// Counter returns the counter of that name.
func (r *Registry) Counter(name string) *atomic.Int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.counters[name]
	if c == nil {
		c = new(atomic.Int64)
		r.counters[name] = c
	}
	return c
}

// Snapshot copies all counts.
func (r *Registry) Snapshot() map[string]int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make(map[string]int64, len(r.counters))
	for n, c := range r.counters {
		out[n] = c.Load()
	}
	return out
}

type sink interface {
	bt.Applier
	bt.Counter
	bt.Scanner
}

// Exporter writes snapshots.
type Exporter struct {
	reg  *Registry
	tbl  sink
	host string
}

// NewExporter exports reg.
func NewExporter(c *bigtable.Client, reg *Registry, host string) *Exporter {
	return &Exporter{reg: reg, tbl: c.Open(Table), host: host}
}

// Flush writes one row.
func (e *Exporter) Flush(ctx context.Context, at time.Time) error {
	mut := bigtable.NewMutation()
	for name, n := range e.reg.Snapshot() {
		mut.Set("key", name, bigtable.Time(at), codec.Int64(n)) // ok ttlwrite/write-time // ok ttlunit/wrong-unit
	}
	mut.Set("event", "flushed", bigtable.Now(), nil) // ok ttlwrite/clock-in-sequence
	return e.tbl.Apply(ctx, e.key(at), mut)
}

// FlushMinute is Flush with all cells at the start of the minute.
func (e *Exporter) FlushMinute(ctx context.Context, at time.Time) error {
	ts := bigtable.Timestamp(at.Truncate(time.Minute).Unix()) // want ttlunit/wrong-unit
	mut := bigtable.NewMutation()
	for name, n := range e.reg.Snapshot() {
		mut.Set("minute", name, ts, codec.Int64(n))
	}
	return e.tbl.Apply(ctx, e.key(at), mut)
}

// FlushHour keeps the hour's cells under the hour.
func (e *Exporter) FlushHour(ctx context.Context, at time.Time) error {
	ts := bigtable.Timestamp(at.Truncate(time.Hour).Unix() * 1e6) // ok ttlunit/wrong-unit
	mut := bigtable.NewMutation()
	for name, n := range e.reg.Snapshot() {
		mut.Set("hour", name, ts, codec.Int64(n))
	}
	return e.tbl.Apply(ctx, e.key(at), mut)
}

// FlushDay came with the dashboards.
func (e *Exporter) FlushDay(ctx context.Context, at time.Time) error {
	day := at.Truncate(24 * time.Hour)
	ts := bigtable.Timestamp(day.UnixMilli()) // want ttlunit/wrong-unit
	mut := bigtable.NewMutation()
	for name, n := range e.reg.Snapshot() {
		mut.Set("day", name, ts, codec.Int64(n))
	}
	if err := e.tbl.Apply(ctx, e.key(day), mut); err != nil {
		return err
	}
	total := bigtable.NewReadModifyWrite()
	total.Increment("key", "flushes", 1) // ok ttlwrite/read-modify-write
	_, err := e.tbl.ApplyReadModifyWrite(ctx, "total", total)
	return err
}

func (e *Exporter) key(at time.Time) string {
	return fmt.Sprintf("%s#%d", e.host, at.Unix()/60)
}

// Names lists the columns that were ever written.
func (e *Exporter) Names(ctx context.Context) ([]string, error) {
	seen := map[string]bool{}
	err := e.tbl.ReadRows(ctx, bigtable.PrefixRange(e.host), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range r["key"] {
			seen[it.Column] = true
		}
		return true
	})
	names := make([]string, 0, len(seen))
	for n := range seen {
		names = append(names, n)
	}
	sort.Strings(names)
	return names, err
}

// Window reads a window of the metrics, oldest first.
func (e *Exporter) Window(ctx context.Context, from, to time.Time, f func(bigtable.Row) bool) error {
	return e.tbl.ReadRows(ctx, bigtable.PrefixRange(e.host), f,
		bigtable.RowFilter(bigtable.TimestampRangeFilter(from, to))) // ok ttlread/upper-bound
}
