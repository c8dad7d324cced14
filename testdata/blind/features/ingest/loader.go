// Package ingest brings features in: batches from files, and a stream of
// updates.
package ingest

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/featureplat/btx"
	"example.com/featureplat/online"
	"example.com/featureplat/schema"
)

// Record is one line of a batch.
type Record struct {
	Entity  btx.Entity
	Feature string
	Value   float64
	At      time.Time
	Millis  int64
}

// Records iterates over the lines of a CSV file: kind, id, feature, value,
// milliseconds.
func Records(r io.Reader) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		in := csv.NewReader(r)
		in.FieldsPerRecord = 5
		for {
			f, err := in.Read()
			if errors.Is(err, io.EOF) {
				return
			}
			var rec Record
			if err == nil {
				rec, err = parse(f)
			}
			if !yield(rec, err) {
				return
			}
		}
	}
}

func parse(f []string) (Record, error) {
	v, err := strconv.ParseFloat(f[3], 64)
	if err != nil {
		return Record{}, fmt.Errorf("value: %w", err)
	}
	ms, err := strconv.ParseInt(f[4], 10, 64)
	if err != nil {
		return Record{}, fmt.Errorf("time: %w", err)
	}
	return Record{Entity: btx.Entity{Kind: f[0], ID: f[1]}, Feature: f[2], Value: v, At: time.UnixMilli(ms), Millis: ms}, nil
}

// Loader loads batches.
type Loader struct {
	values  *btx.Writer
	scratch *btx.Writer
	events  *bigtable.Table
	models  *bigtable.Table
	workers int
	log     *slog.Logger
}

// NewLoader makes a Loader.
func NewLoader(client *bigtable.Client, store *online.Store, workers int, log *slog.Logger) *Loader {
	return &Loader{
		values:  btx.NewWriter(store.Table(), 500, log),
		scratch: btx.NewWriter(client.Open(schema.Scratch), 500, log),
		events:  client.Open(schema.Events),
		models:  client.Open(schema.Models),
		workers: max(workers, 1),
		log:     log,
	}
}

// Load writes a batch with the times of its records.
func (l *Loader) Load(ctx context.Context, recs iter.Seq2[Record, error]) error {
	ch := make(chan Record, l.workers)
	done := make(chan error, 1)
	go func() {
		done <- btx.Pool(ctx, l.workers, ch, l.one)
	}()
	for rec, err := range recs {
		if err != nil {
			l.log.Warn("bad record", "err", err)
			continue
		}
		select {
		case ch <- rec:
		case err := <-done:
			return err
		}
	}
	close(ch)
	return errors.Join(<-done, l.values.Flush(ctx))
}

func (l *Loader) one(ctx context.Context, rec Record) error {
	return l.values.Set(ctx, rec.Entity.Key(), schema.FamValue, rec.Feature, btx.FromMillis(rec.Millis), btx.EncodeFloat(rec.Value)) // ok ttlunit/wrong-unit ttlwrite/already-expired
}

// LoadSeconds is for producers whose files have whole seconds.
func (l *Loader) LoadSeconds(ctx context.Context, rec Record) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamValue, rec.Feature, bigtable.Timestamp(rec.At.Unix()), btx.EncodeFloat(rec.Value)) // want ttlunit/wrong-unit
	return l.values.Add(ctx, rec.Entity.Key(), m)
}

// LoadMillis is for those whose files have milliseconds.
func (l *Loader) LoadMillis(ctx context.Context, rec Record) error {
	ts := bigtable.Timestamp(rec.At.UnixMilli())                                                             // want ttlunit/wrong-unit[millis]
	return l.values.Set(ctx, rec.Entity.Key(), schema.FamValue, rec.Feature, ts, btx.EncodeFloat(rec.Value)) // want ttlunit/wrong-unit[millis]
}

// LoadNanos is for those whose files have nanoseconds.
func (l *Loader) LoadNanos(ctx context.Context, rec Record) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamMeta, "source", bigtable.Timestamp(rec.At.UnixNano()), []byte("nanos"))                            // want ttlunit/wrong-unit
	m.Set(schema.FamValue, rec.Feature, bigtable.Timestamp(rec.At.UnixNano()/1000), btx.EncodeFloat(rec.Value))        // ok ttlunit/wrong-unit
	m.Set(schema.FamValue, rec.Feature+"_ms", bigtable.Timestamp(rec.At.UnixMilli()*1000), btx.EncodeFloat(rec.Value)) // ok ttlunit/wrong-unit
	m.Set(schema.FamValue, rec.Feature+"_s", bigtable.Timestamp(rec.At.Unix()*1e6), btx.EncodeFloat(rec.Value))        // ok ttlunit/wrong-unit
	return l.values.Add(ctx, rec.Entity.Key(), m)
}

// Stage writes a batch into the scratch table, where families have our names
// and nothing else of ours.
func (l *Loader) Stage(ctx context.Context, recs iter.Seq2[Record, error]) error {
	n := 0
	for rec, err := range recs {
		if err != nil {
			return err
		}
		n++
		m := bigtable.NewMutation()
		m.Set(schema.FamValue, rec.Feature, bigtable.Time(time.Unix(0, 0)), btx.EncodeFloat(rec.Value)) // ok ttlwrite/already-expired
		m.Set(schema.FamRev, "line", bigtable.Timestamp(n*1000), nil)                                   // ok ttlwrite/unscaled-sequence
		m.Set(schema.FamRev, "at", bigtable.Now(), nil)                                                 // ok ttlwrite/clock-in-sequence
		m.Set(schema.FamLast, rec.Feature, bigtable.ServerTime, nil)                                    // ok ttlwrite/clock-in-zero
		if err := l.scratch.Add(ctx, rec.Entity.Key(), m); err != nil {                                 // ok ttlwrite/clock-in-sequence
			return err
		}
	}
	return l.scratch.Flush(ctx)
}

// StageSeconds writes a line with the wrong unit even for the scratch table.
func (l *Loader) StageSeconds(ctx context.Context, rec Record) error {
	return l.scratch.Set(ctx, rec.Entity.Key(), "x", rec.Feature, bigtable.Timestamp(rec.At.Unix()*1000), nil) // want ttlunit/wrong-unit
}

// scored is what is written when a model scored an event.
func scored(model string) *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.Set(schema.FamRev, "model", bigtable.Now(), []byte(model)) // want ttlwrite/clock-in-sequence[scored]
	return m
}

// Scored notes the model with the event.
func (l *Loader) Scored(ctx context.Context, event, model string) error {
	return l.events.Apply(ctx, event, scored(model)) // ok ttlwrite/clock-in-sequence
}

// ScoredModel notes the same with the model.
func (l *Loader) ScoredModel(ctx context.Context, model string) error {
	return l.models.Apply(ctx, model, scored(model)) // want ttlwrite/clock-in-sequence[scored]
}

// Event writes a raw event.
func (l *Loader) Event(ctx context.Context, id string, payload []byte) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamRaw, schema.ColPayload, bigtable.ServerTime, payload) // ok ttlwrite/server-timestamp
	m.Set(schema.FamRev, "n", bigtable.ServerTime, nil)                   // ok ttlwrite/clock-in-sequence
	return l.events.Apply(ctx, id, m)
}

// EventCount counts events by revision.
func (l *Loader) EventCount(ctx context.Context, id string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamRev, "count", 1) // ok ttlwrite/read-modify-write
	_, err := l.events.ApplyReadModifyWrite(ctx, id, rmw)
	return err
}

// RevisionCount counts revisions that were loaded.
func (l *Loader) RevisionCount(ctx context.Context, model string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamRev, "loads", 1) // want ttlwrite/read-modify-write
	_, err := l.models.ApplyReadModifyWrite(ctx, model, rmw)
	return err
}
