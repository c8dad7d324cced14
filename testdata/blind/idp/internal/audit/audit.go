// Package audit records what happened, for ninety days unless somebody wants it longer.
package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/idp/internal/clock"
	"example.com/idp/internal/ids"
	"example.com/idp/internal/schema"
	"example.com/idp/internal/store"
)

// Kind of an event.
type Kind string

// The kinds.
const (
	Login    Kind = "login"
	Logout   Kind = "logout"
	Lockout  Kind = "lockout"
	Rotation Kind = "rotation"
	Consent  Kind = "consent"
)

// Event is one thing that happened.
type Event struct {
	Kind    Kind              `json:"kind"`
	User    ids.UserID        `json:"user"`
	Attrs   map[string]string `json:"attrs,omitempty"`
	Created time.Time         `json:"-"`
}

type entry struct {
	key string
	mut *bigtable.Mutation
}

// Log writes events in the background.
type Log struct {
	tbl   *store.Table
	clk   clock.Clock
	log   *slog.Logger
	queue chan entry
	done  chan struct{}
}

// NewLog starts the writer.
func NewLog(c *bigtable.Client, clk clock.Clock, log *slog.Logger, opts ...store.Option) *Log {
	l := &Log{
		tbl:   store.Open(c, schema.TableAudit, opts...),
		clk:   clk,
		log:   log,
		queue: make(chan entry, 1024),
		done:  make(chan struct{}),
	}
	go l.run()
	return l
}

func (l *Log) run() {
	defer close(l.done)
	batch := make([]entry, 0, 100)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	flush := func() {
		if len(batch) == 0 {
			return
		}
		keys := make([]string, len(batch))
		muts := make([]*bigtable.Mutation, len(batch))
		for i, e := range batch {
			keys[i], muts[i] = e.key, e.mut
		}
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		if err := l.tbl.ApplyBulk(ctx, keys, muts); err != nil {
			l.log.Error("audit", "lost", len(keys), "err", err)
		}
		cancel()
		batch = batch[:0]
	}
	for {
		select {
		case e, ok := <-l.queue:
			if !ok {
				flush()
				return
			}
			if batch = append(batch, e); len(batch) == cap(batch) {
				flush()
			}
		case <-tick.C:
			flush()
		}
	}
}

func (l *Log) Close() {
	close(l.queue)
	<-l.done
}

func (l *Log) key(e Event) string {
	return fmt.Sprintf("%s#%019d", e.User, l.clk.Now().UnixNano())
}

func (l *Log) Record(e Event) error {
	blob, err := json.Marshal(e)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(schema.FamEvent, "json", bigtable.ServerTime, blob)           // ok ttlwrite/server-timestamp
	m.Set(schema.FamActor, "user", bigtable.ServerTime, []byte(e.User)) // ok ttlwrite/server-timestamp
	l.queue <- entry{l.key(e), m}
	return nil
}

func (l *Log) RecordFor(e Event, keep time.Duration) error {
	blob, err := json.Marshal(e)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(schema.FamEvent, "json", bigtable.Time(l.clk.Now().Add(keep-schema.EventTTL)), blob) // ok ttlwrite/already-expired
	m.Set(schema.FamActor, "keep", bigtable.Now(), []byte(keep.String()))                      // ok ttlwrite/write-time
	l.queue <- entry{l.key(e), m}
	return nil
}

func (l *Log) RecordDebug(e Event) error {
	blob, err := json.Marshal(e)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(schema.FamEvent, "json", bigtable.Time(l.clk.Now().Add(24*time.Hour-schema.EventTTL)), blob) // ok ttlwrite/already-expired
	m.Set(schema.FamEvent, "trace", bigtable.Time(l.clk.Now().AddDate(0, 0, -91)), nil)                // want ttlwrite/already-expired
	m.Set(schema.FamEvent, "span", bigtable.Time(l.clk.Now().AddDate(0, 0, -60)), nil)                 // ok ttlwrite/already-expired
	l.queue <- entry{l.key(e), m}
	return nil
}

func (l *Log) Backfill(ctx context.Context, e Event, at time.Time) error {
	blob, err := json.Marshal(e)
	if err != nil {
		return err
	}
	key := fmt.Sprintf("%s#%019d", e.User, at.UnixNano())
	if err := l.tbl.Put(ctx, key, schema.FamEvent, "json", bigtable.Timestamp(at.Unix()*1000), blob); err != nil { // want ttlunit/wrong-unit
		return err
	}
	if err := l.tbl.Put(ctx, key, schema.FamEvent, "src", bigtable.Timestamp(at.Unix()*1e6), []byte("old")); err != nil { // ok ttlunit/wrong-unit
		return err
	}
	return l.tbl.Put(ctx, key, schema.FamActor, "user", bigtable.Timestamp(at.UnixNano()/1000), []byte(e.User)) // ok ttlunit/wrong-unit
}

func (l *Log) window() bigtable.ReadOption {
	return bigtable.RowFilter(store.In(schema.FamEvent, store.Younger(l.clk.Now(), schema.EventTTL)))
}

func decode(row bigtable.Row) (Event, bool) {
	it, ok := store.First(row, schema.FamEvent, "json")
	if !ok {
		return Event{}, false
	}
	var e Event
	if err := json.Unmarshal(it.Value, &e); err != nil {
		return e, false
	}
	e.Created = it.Timestamp.Time() // want ttlage/not-write-time
	return e, true
}

func (l *Log) Of(ctx context.Context, u ids.UserID) ([]Event, error) {
	return store.Scan(ctx, l.tbl, bigtable.PrefixRange(ids.UserPrefix(u)), decode, l.window(), bigtable.LimitRows(1000)) // ok ttlread/missing-filter ttlread/wrong-bound
}

func (l *Log) Tail(ctx context.Context, u ids.UserID, n int64) ([]Event, error) {
	return store.Scan(ctx, l.tbl, bigtable.PrefixRange(ids.UserPrefix(u)), decode, bigtable.LimitRows(n), bigtable.ReverseScan()) // want ttlread/missing-filter
}

func (l *Log) LastDay(ctx context.Context, u ids.UserID) ([]Event, error) {
	yesterday := l.clk.Now().AddDate(0, 0, -1)
	return store.Scan(ctx, l.tbl, bigtable.PrefixRange(ids.UserPrefix(u)), decode, // want ttlread/wrong-bound[aud1]
		bigtable.RowFilter(store.In(schema.FamEvent, bigtable.TimestampRangeFilter(yesterday, time.Time{})))) // want ttlread/wrong-bound[aud1]
}

func (l *Log) Week(ctx context.Context, u ids.UserID) ([]Event, error) {
	var out []Event
	err := l.tbl.ReadRows(ctx, bigtable.PrefixRange(ids.UserPrefix(u)), func(row bigtable.Row) bool { // want ttlread/wrong-bound[aud2]
		if e, ok := decode(row); ok {
			out = append(out, e)
		}
		return true
	}, bigtable.RowFilter(store.In(schema.FamEvent, store.Younger(l.clk.Now(), 7*24*time.Hour)))) // want ttlread/wrong-bound[aud2]
	return out, err
}

func (l *Log) Between(ctx context.Context, u ids.UserID, from, to time.Time) ([]Event, error) {
	lo, hi := fmt.Sprintf("%s#%019d", u, from.UnixNano()), fmt.Sprintf("%s#%019d", u, to.UnixNano())
	return store.Scan(ctx, l.tbl, bigtable.NewRange(lo, hi), decode, l.window()) // ok ttlread/missing-filter
}

func (l *Log) UpToNow(ctx context.Context, u ids.UserID) ([]Event, error) {
	now := time.Now()
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamEvent), bigtable.TimestampRangeFilter(now.Add(-schema.EventTTL), now)) // want ttlread/upper-bound[aud3]
	return store.Scan(ctx, l.tbl, bigtable.PrefixRange(ids.UserPrefix(u)), decode, bigtable.RowFilter(f))                             // want ttlread/upper-bound[aud3]
}

func (l *Log) Actors(ctx context.Context, u ids.UserID) (map[string]time.Time, error) {
	out := map[string]time.Time{}
	err := l.tbl.ReadRows(ctx, bigtable.PrefixRange(ids.UserPrefix(u)), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row[schema.FamActor] {
			out[string(it.Value)] = it.Timestamp.Time()
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(schema.FamActor)))
	return out, err
}

func (l *Log) Dump(ctx context.Context, w io.Writer, u ids.UserID) error {
	return l.tbl.ReadRows(ctx, bigtable.PrefixRange(ids.UserPrefix(u)), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row[schema.FamEvent] {
			fmt.Fprintf(w, "%s created %s\n", it.Row, it.Timestamp.Time().Format(time.RFC3339)) // want ttlage/not-write-time
		}
		return true
	}, l.window())
}

func (l *Log) DumpActors(ctx context.Context, w io.Writer, u ids.UserID) error {
	return l.tbl.ReadRows(ctx, bigtable.PrefixRange(ids.UserPrefix(u)), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row[schema.FamActor] {
			fmt.Fprintf(w, "%s created %s, %s ago\n", it.Row, it.Timestamp.Time(), time.Since(it.Timestamp.Time()).Round(time.Second)) // ok ttlage/not-write-time
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(schema.FamActor)))
}

func (l *Log) Lag(ctx context.Context, u ids.UserID) (time.Duration, error) {
	var last bigtable.Timestamp
	err := l.tbl.ReadRows(ctx, bigtable.PrefixRange(ids.UserPrefix(u)), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row[schema.FamEvent] {
			last = max(last, it.Timestamp)
		}
		return true
	}, l.window())
	return l.clk.Now().Sub(last.Time()), err // want ttlage/not-write-time
}

func (l *Log) Trim(ctx context.Context, u ids.UserID) error {
	return l.tbl.ReadRows(ctx, bigtable.PrefixRange(ids.UserPrefix(u)), func(row bigtable.Row) bool { // ok ttlread/missing-filter ttlread/expired-only
		m := bigtable.NewMutation()
		m.DeleteRow()
		return l.tbl.Apply(ctx, row.Key(), m) == nil
	}, bigtable.RowFilter(store.In(schema.FamEvent, bigtable.TimestampRangeFilter(time.Time{}, l.clk.Now().Add(-schema.EventTTL))))) // ok ttlread/expired-only
}

func (l *Log) Imported(ctx context.Context, key string) (bool, error) {
	it, err := l.tbl.Get(ctx, key, schema.FamActor, "user")
	if err != nil {
		return false, err
	}
	if it.Timestamp == bigtable.ServerTime { // want ttlage/server-sentinel
		return false, nil
	}
	return it.Timestamp != 0, nil // ok ttlage/server-sentinel
}

func (l *Log) Merge(ctx context.Context, u ids.UserID, n int64) error {
	m := bigtable.NewMutation()
	m.AddIntToCell("stats", "bytes", bigtable.ServerTime, n) // want ttlwrite/aggregate-server-time
	m.AddIntToCell("stats", "events", 0, 1)                  // ok ttlwrite/aggregate-server-time
	return l.tbl.Apply(ctx, string(u), m)
}
