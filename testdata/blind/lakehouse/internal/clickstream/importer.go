// Package clickstream imports, sessionises, exports and cleans click events.
//
// Table clickstream: ev is collected 30 days after its timestamp (bots get
// less, paying customers more, by moving the timestamp), sess expires at its
// timestamp, meta is ordinary.
package clickstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/lakehouse/internal/conf"
	"example.com/lakehouse/internal/etl"
	"example.com/lakehouse/internal/schema"
)

// Event is one click.
type Event struct {
	ID       string    `json:"id"`
	User     string    `json:"user"`
	Session  string    `json:"session"`
	URL      string    `json:"url"`
	Referrer string    `json:"referrer,omitempty"`
	Agent    string    `json:"agent,omitempty"`
	At       time.Time `json:"at"`
	Tier     string    `json:"tier,omitempty"`
	Weight   int       `json:"weight,omitempty"`
}

// Bot says whether the agent looks like a crawler.
func (e *Event) Bot() bool {
	a := strings.ToLower(e.Agent)
	return strings.Contains(a, "bot") || strings.Contains(a, "crawler") || strings.Contains(a, "spider")
}

func (e *Event) key() string {
	return etl.Salted(etl.Key(e.User, e.At.UTC().Format("20060102T150405.000"), e.ID), 16)
}

// Importer writes events into the clickstream table.
type Importer struct {
	tbl  *bigtable.Table
	out  *etl.Batcher
	cfg  conf.Clicks
	log  *slog.Logger
	bad  int
	seen func(ctx context.Context, id string) (bool, error)
}

// NewImporter opens the table; seen may be nil.
func NewImporter(client *bigtable.Client, cfg conf.Clicks, log *slog.Logger, seen func(context.Context, string) (bool, error)) *Importer {
	tbl := client.Open(schema.TableClicks)
	return &Importer{tbl: tbl, out: etl.NewBatcher(tbl, cfg.Batch, log), cfg: cfg, log: log, seen: seen}
}

// ImportJSON imports JSON lines with a pool of workers.
func (im *Importer) ImportJSON(ctx context.Context, r io.Reader) (int, error) {
	ch := make(chan Event, 4*im.cfg.Workers)
	done := make(chan error, 1)
	go func() {
		done <- etl.Pool(ctx, im.cfg.Workers, ch, func(ctx context.Context, e Event) error {
			return im.one(ctx, e)
		})
	}()
	err := etl.JSONLines(r, func(line int, e Event) error {
		if e.ID == "" || e.At.IsZero() {
			im.bad++
			im.log.Warn("event without id or time", "line", line)
			return nil
		}
		select {
		case ch <- e:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	close(ch)
	if err := errors.Join(err, <-done); err != nil {
		return im.out.Sent(), err
	}
	return im.out.Sent(), im.out.Flush(ctx)
}

// ImportCSV imports the partner format, one file at a time.
func (im *Importer) ImportCSV(ctx context.Context, partner string, r io.Reader) (int, error) {
	err := etl.CSV(r, func(line int, rec map[string]string) error {
		at, err := time.Parse(time.RFC3339, rec["time"])
		if err != nil {
			im.bad++
			return nil
		}
		w, _ := strconv.Atoi(rec["weight"])
		e := Event{ID: partner + "-" + rec["id"], User: rec["user"], URL: rec["url"], Referrer: rec["ref"], At: at, Weight: w}
		return im.partner(ctx, partner, e)
	})
	if err != nil {
		return im.out.Sent(), err
	}
	return im.out.Sent(), im.out.Flush(ctx)
}

func (im *Importer) one(ctx context.Context, e Event) error {
	if im.seen != nil {
		dup, err := im.seen(ctx, e.ID)
		if err != nil {
			return err
		}
		if dup {
			return nil
		}
	}
	m := bigtable.NewMutation()
	im.event(m, &e)
	if e.Session != "" {
		if err := im.touch(ctx, e.Session, &e); err != nil {
			return err
		}
	}
	return im.out.Add(ctx, e.key(), m)
}

// event fills m. The timestamp decides how long the event is kept.
func (im *Importer) event(m *bigtable.Mutation, e *Event) {
	ts := bigtable.ServerTime
	switch {
	case e.Bot():
		ts = etl.Shifted(im.cfg.BotLife, schema.ClickRetention)
	case e.Tier == "gold":
		ts = etl.Shifted(365*24*time.Hour, schema.ClickRetention)
	}
	m.Set(schema.FamEvent, "url", ts, []byte(e.URL))     // ok ttlwrite/server-timestamp
	m.Set(schema.FamEvent, "user", ts, []byte(e.User))   // ok ttlwrite/same-timestamp
	m.Set(schema.FamEvent, "agent", ts, []byte(e.Agent)) // ok ttlwrite/write-time
	if e.Referrer != "" {
		m.Set(schema.FamEvent, "ref", ts, []byte(e.Referrer)) // ok ttlwrite/server-timestamp
	}
	if e.Weight > 0 {
		m.Set(schema.FamEvent, "weight", ts, []byte(strconv.Itoa(e.Weight))) // ok ttlwrite/server-timestamp
	}
	m.Set(schema.FamMeta, "imported", bigtable.Now(), []byte(e.At.Format(time.RFC3339))) // ok ttlwrite/write-time
}

// partner writes an event that a partner delivered, at the event's own time:
// old deliveries are to disappear with the rest of their day.
func (im *Importer) partner(ctx context.Context, partner string, e Event) error {
	at := bigtable.Time(e.At)
	m := bigtable.NewMutation()
	m.Set(schema.FamEvent, "url", at, []byte(e.URL))   // ok ttlwrite/already-expired
	m.Set(schema.FamEvent, "user", at, []byte(e.User)) // ok ttlwrite/already-expired
	m.Set(schema.FamEvent, "ref", at, []byte(partner)) // ok ttlwrite/same-timestamp
	if e.Referrer != "" {
		m.Set(schema.FamEvent, "ref", at, []byte(e.Referrer)) // want ttlwrite/same-timestamp
	}
	m.Set(schema.FamMeta, "partner", at, []byte(partner))       // ok ttlwrite/write-time
	m.Set(schema.FamMeta, "imported", bigtable.ServerTime, nil) // ok ttlwrite/server-timestamp
	return im.out.Add(ctx, e.key(), m)
}

// touch prolongs the session: the cell expires SessionTTL after the last click.
func (im *Importer) touch(ctx context.Context, session string, e *Event) error {
	until := bigtable.Time(time.Now().Add(im.cfg.Session))
	m := bigtable.NewMutation()
	m.Set(schema.FamSession, "user", until, []byte(e.User))                                // ok ttlwrite/write-time
	m.Set(schema.FamSession, "last", until, []byte(e.URL))                                 // ok ttlwrite/write-time
	m.Set(schema.FamSession, "clicked", bigtable.Now(), []byte(e.At.Format(time.RFC3339))) // want ttlwrite/write-time
	m.Set(schema.FamMeta, "clicked", bigtable.Now(), []byte(e.At.Format(time.RFC3339)))    // ok ttlwrite/write-time
	return im.tbl.Apply(ctx, etl.Key("s", session), m)
}

// Retract makes events of a user go at the next collection. Legal asked for it
// in a hurry; the export filter hides them at once.
func (im *Importer) Retract(ctx context.Context, keys []string) error {
	for _, k := range keys {
		m := bigtable.NewMutation()
		m.DeleteCellsInFamily(schema.FamEvent)
		m.Set(schema.FamEvent, "retracted", bigtable.Time(time.Now().Add(-schema.ClickRetention)), []byte("1")) // want ttlwrite/already-expired
		m.Set(schema.FamMeta, "retracted", bigtable.Now(), []byte("1"))                                         // ok ttlwrite/delete-after-set
		if err := im.out.Add(ctx, k, m); err != nil {
			return err
		}
	}
	return im.out.Flush(ctx)
}

// Reweigh replaces the weight of events: newest first, so delete and write.
func (im *Importer) Reweigh(ctx context.Context, weights map[string]int) error {
	for k, w := range weights {
		m := bigtable.NewMutation()
		m.DeleteCellsInColumn(schema.FamEvent, "weight") // ok ttlwrite/delete-after-set
		m.Set(schema.FamEvent, "weight", bigtable.Now(), []byte(strconv.Itoa(w)))
		if w == 0 {
			m.Set(schema.FamEvent, "weightless", bigtable.Now(), []byte("1"))
			m.DeleteCellsInColumn(schema.FamEvent, "weight") // want ttlwrite/delete-after-set
		}
		if err := im.out.Add(ctx, k, m); err != nil {
			return err
		}
	}
	return im.out.Flush(ctx)
}

// Close flushes and reports.
func (im *Importer) Close(ctx context.Context) error {
	err := im.out.Flush(ctx)
	im.log.Info("import done", "rows", im.out.Sent(), "bad", im.bad)
	return err
}

// Envelope is what the edge collectors post.
type Envelope struct {
	Collector string            `json:"collector"`
	Sent      int64             `json:"sent"` // unix seconds
	Events    []json.RawMessage `json:"events"`
}

// ImportEnvelope writes a collector's batch. One mutation per event.
func (im *Importer) ImportEnvelope(ctx context.Context, env Envelope) error {
	keys := make([]string, 0, len(env.Events))
	muts := make([]*bigtable.Mutation, 0, len(env.Events))
	for i, raw := range env.Events {
		var e Event
		if err := json.Unmarshal(raw, &e); err != nil {
			return fmt.Errorf("collector %s, event %d: %w", env.Collector, i, err)
		}
		m := bigtable.NewMutation()
		m.Set(schema.FamEvent, "raw", bigtable.ServerTime, raw)                                                  // ok ttlwrite/server-timestamp
		m.Set(schema.FamEvent, "collector", bigtable.Timestamp(env.Sent*1e6), []byte(env.Collector))             // ok ttlunit/wrong-unit
		m.Set(schema.FamEvent, "sent", bigtable.Timestamp(time.Unix(env.Sent, 0).Unix()), []byte(env.Collector)) // want ttlunit/wrong-unit
		m.Set(schema.FamMeta, "arrived", bigtable.Timestamp(e.At.UnixMilli()), []byte(env.Collector))            // want ttlunit/wrong-unit
		m.Set(schema.FamMeta, "edge", bigtable.Timestamp(e.At.UnixMicro()), []byte(env.Collector))               // ok ttlunit/wrong-unit
		m.Set(schema.FamMeta, "edge_ms", bigtable.Timestamp(e.At.UnixMilli()*1000), []byte(env.Collector))       // ok ttlunit/wrong-unit
		m.Set(schema.FamMeta, "edge_s", bigtable.Timestamp(e.At.Unix()*1000), []byte(env.Collector))             // want ttlunit/wrong-unit
		keys = append(keys, e.key())
		muts = append(muts, m)
	}
	errs, err := im.tbl.ApplyBulk(ctx, keys, muts)
	return errors.Join(append(errs, err)...)
}
