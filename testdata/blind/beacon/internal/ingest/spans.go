// Package ingest takes in what agents send: spans, samples and events.
package ingest

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/beacon/internal/clock"
	"example.com/beacon/internal/keys"
	"example.com/beacon/internal/layout"
)

// Span is a part of a trace.
type Span struct {
	Trace    [16]byte      `json:"trace"`
	ID       string        `json:"id"`
	Parent   string        `json:"parent,omitempty"`
	Name     string        `json:"name"`
	Start    time.Time     `json:"start"`
	Duration time.Duration `json:"duration"`
	Sampled  bool          `json:"sampled"`
}

// SpanWriter writes the spans of one tenant.
type SpanWriter struct {
	tbl  bigtable.TableAPI
	keep time.Duration

	batch []pending
	max   int
}

type pending struct {
	row string
	mut *bigtable.Mutation
}

// SpanConfig says how spans are kept.
type SpanConfig struct {
	Keep  time.Duration
	Batch int
}

func (c SpanConfig) orDefault() SpanConfig {
	if c.Keep <= 0 {
		c.Keep = 24 * time.Hour
	}
	if c.Batch <= 0 {
		c.Batch = 500
	}
	return c
}

// NewSpanWriter returns a writer on the tenant's traces.
func NewSpanWriter(tbl bigtable.TableAPI, cfg SpanConfig) *SpanWriter {
	cfg = cfg.orDefault()
	return &SpanWriter{tbl: tbl, keep: cfg.Keep, max: cfg.Batch}
}

// Add takes a span in; it is written with its batch.
func (w *SpanWriter) Add(ctx context.Context, s Span) error {
	family := layout.TraceFamilies[layout.Span]
	meta := layout.TraceFamilies[layout.SpanMeta]
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set(family, s.ID, bigtable.Time(time.Now().Add(w.keep)), b) // ok ttlwrite/write-time
	mut.Set(meta, "name", 0, []byte(s.Name))                        // ok ttlwrite/clock-in-zero
	if s.Sampled {
		mut.Set(family, s.ID+":sampled", bigtable.Now(), nil) // want ttlwrite/write-time
	}
	w.batch = append(w.batch, pending{row: keys.Trace(s.Trace), mut: mut})
	if len(w.batch) >= w.max {
		return w.Flush(ctx)
	}
	return nil
}

// AddLate takes in a span that a mobile client kept back.
func (w *SpanWriter) AddLate(ctx context.Context, s Span) error {
	family := layout.TraceFamilies[layout.Span]
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set(family, s.ID, bigtable.ServerTime, b)                              // want ttlwrite/server-timestamp
	mut.Set(layout.TraceFamilies[layout.SpanMeta], "late", clock.Stamp(), nil) // want ttlwrite/clock-in-zero
	w.batch = append(w.batch, pending{row: keys.Trace(s.Trace), mut: mut})
	return nil
}

// Flush writes the batch.
func (w *SpanWriter) Flush(ctx context.Context) error {
	if len(w.batch) == 0 {
		return nil
	}
	rows := make([]string, len(w.batch))
	muts := make([]*bigtable.Mutation, len(w.batch))
	for i, p := range w.batch {
		rows[i], muts[i] = p.row, p.mut
	}
	w.batch = w.batch[:0]
	errs, err := w.tbl.ApplyBulk(ctx, rows, muts)
	if err != nil {
		return err
	}
	for i, err := range errs {
		if err != nil {
			return fmt.Errorf("trace %s: %w", rows[i], err)
		}
	}
	return nil
}

// Retain keeps a trace longer, because somebody looks at it.
func (w *SpanWriter) Retain(ctx context.Context, trace [16]byte) error {
	row, err := w.tbl.ReadRow(ctx, keys.Trace(trace), bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("span"), bigtable.TimestampRangeFilterMicros(bigtable.Now(), 0)))) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	until := bigtable.Time(time.Now().Add(7 * 24 * time.Hour))
	mut := bigtable.NewMutation()
	for _, it := range row["span"] {
		mut.Set("span", it.Column[len("span:"):], until, it.Value) // ok ttlwrite/write-time
	}
	mut.Set("meta", "retained", 0, []byte{1}) // ok ttlwrite/clock-in-zero
	return w.tbl.Apply(ctx, keys.Trace(trace), mut)
}

// Trace reads all spans of a trace.
func (w *SpanWriter) Trace(ctx context.Context, trace [16]byte) ([]Span, error) {
	row, err := w.tbl.ReadRow(ctx, keys.Trace(trace), bigtable.RowFilter(bigtable.FamilyFilter("span"))) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return spans(row), nil
}

// LiveTrace reads the spans of a trace that have not expired.
func (w *SpanWriter) LiveTrace(ctx context.Context, trace [16]byte) ([]Span, error) {
	row, err := w.tbl.ReadRow(ctx, keys.Trace(trace), bigtable.RowFilter(live("span"))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return spans(row), nil
}

// Before reads the spans as of the last hour: with real timestamps it would be right.
func (w *SpanWriter) Before(ctx context.Context, trace [16]byte) ([]Span, error) {
	row, err := w.tbl.ReadRow(ctx, keys.Trace(trace), bigtable.RowFilter(since("span", -time.Hour))) // want ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return spans(row), nil
}

// Name reads a trace's name.
func (w *SpanWriter) Name(ctx context.Context, trace [16]byte) (string, error) {
	row, err := w.tbl.ReadRow(ctx, keys.Trace(trace)) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	for _, it := range row[layout.TraceFamilies[layout.SpanMeta]] {
		return string(it.Value), nil
	}
	return "", nil
}

func live(family string) bigtable.Filter { return since(family, 0) }

func since(family string, d time.Duration) bigtable.Filter {
	return bigtable.ChainFilters(
		bigtable.FamilyFilter(family),
		bigtable.TimestampRangeFilter(time.Now().Add(d), time.Time{}),
	)
}

func spans(row bigtable.Row) []Span {
	var out []Span
	for _, it := range row["span"] {
		var s Span
		if json.Unmarshal(it.Value, &s) == nil {
			out = append(out, s)
		}
	}
	return out
}
