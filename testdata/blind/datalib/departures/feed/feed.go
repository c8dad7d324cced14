// Package feed takes in what vehicles send.
package feed

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/datalib/datalib/clock"
	"example.com/datalib/datalib/schema"
	"example.com/datalib/datalib/tables"
	"example.com/datalib/datalib/write"
)

// Event is one message of a vehicle.
type Event struct {
	Vehicle string          `json:"vehicle"`
	Kind    string          `json:"kind"`
	Number  int64           `json:"number"`
	At      time.Time       `json:"at"`
	Body    json.RawMessage `json:"body"`
}

// Feed writes events.
type Feed struct {
	set  *tables.Set
	in   chan Event
	seen int
}

// New makes a feed.
func New(set *tables.Set) *Feed { return &Feed{set: set, in: make(chan Event, 256)} }

// Decode reads events from a stream.
func (f *Feed) Decode(r io.Reader) error {
	dec := json.NewDecoder(r)
	for {
		var e Event
		if err := dec.Decode(&e); err == io.EOF {
			close(f.in)
			return nil
		} else if err != nil {
			return err
		}
		f.in <- e
	}
}

// Run writes events until the stream ends.
func (f *Feed) Run(ctx context.Context) error {
	for e := range f.in {
		f.seen++
		var err error
		switch e.Kind {
		case "fix":
			err = f.fix(ctx, e)
		case "door":
			err = f.door(ctx, e)
		case "stop":
			err = f.stop(ctx, e)
		default:
			slog.Warn("unknown event", "kind", e.Kind)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *Feed) fix(ctx context.Context, e Event) error {
	m := bigtable.NewMutation()
	write.Put(m, schema.GPS, "fix", clock.At(e.At), e.Body)                           // ok ttlwrite/write-time
	write.Put(m, schema.GPS, "raw", clock.Server, e.Body)                             // ok ttlwrite/server-timestamp
	write.Put(m, schema.GPS, "at", bigtable.Timestamp(e.At.UnixMilli()), e.Body)      // want ttlunit/wrong-unit
	write.Put(m, schema.Meta, "at", bigtable.Timestamp(e.At.UnixNano()), e.Body)      // want ttlunit/wrong-unit
	write.Put(m, schema.Meta, "at2", bigtable.Timestamp(e.At.UnixNano()/1e3), e.Body) // ok ttlunit/wrong-unit
	if err := f.set.Positions.Apply(ctx, e.Vehicle, m); err != nil {
		return err
	}
	return f.journal(ctx, e)
}

func (f *Feed) journal(ctx context.Context, e Event) error {
	m := bigtable.NewMutation()
	m.Set(schema.Entry, e.Kind, clock.Seq(e.Number), e.Body)           // ok ttlwrite/unscaled-sequence
	m.Set(schema.Entry, "seen", bigtable.Timestamp(f.seen), nil)       // want ttlwrite/unscaled-sequence
	m.Set(schema.Entry, "seen2", bigtable.Timestamp(f.seen*1000), nil) // ok ttlwrite/unscaled-sequence
	m.Set(schema.Entry, "when", clock.At(e.At), nil)                   // want ttlwrite/clock-in-sequence
	m.Set(schema.Entry, "got", clock.NowTS(), nil)                     // want ttlwrite/clock-in-sequence
	return f.set.Journal.Apply(ctx, e.Vehicle, m)
}

func (f *Feed) door(ctx context.Context, e Event) error {
	m := bigtable.NewMutation()
	m.Set(schema.State, "door", 0, e.Body)                       // ok ttlwrite/clock-in-zero
	m.Set(schema.State, "door-at", clock.At(time.Now()), e.Body) // want ttlwrite/clock-in-zero
	return f.set.Board.Apply(ctx, e.Vehicle, m)
}

func (f *Feed) stop(ctx context.Context, e Event) error {
	ts := clock.In(schema.StateTTL)
	m := bigtable.NewMutation()
	m.Set(schema.State, "vehicle", ts, []byte(e.Vehicle))      // ok ttlwrite/write-time
	m.Set(schema.State, "arrived", bigtable.Now(), e.Body)     // want ttlwrite/write-time
	m.Set(schema.State, "number", bigtable.ServerTime, e.Body) // want ttlwrite/server-timestamp
	m.Set(schema.Info, "number", bigtable.ServerTime, e.Body)  // ok ttlwrite/server-timestamp
	return f.set.Stops.Apply(ctx, e.Vehicle, m)
}
