// Package dedupe drops events that were seen before, within a window. An
// event's mark is a cell that ends when the window does.
package dedupe

import (
	"context"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"log/slog"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/featureplat/btx"
	"example.com/featureplat/schema"
)

// Window tells first events from repeated ones.
type Window struct {
	tbl  btx.Table
	life time.Duration
	now  btx.Clock
	log  *slog.Logger

	mu    sync.Mutex
	local map[string]time.Time
}

// Option changes a Window.
type Option func(*Window)

// WithLife sets the window's length.
func WithLife(d time.Duration) Option { return func(w *Window) { w.life = d } }

// New opens the window.
func New(client *bigtable.Client, log *slog.Logger, opts ...Option) *Window {
	w := &Window{
		tbl:   client.Open(schema.Dedupe),
		life:  schema.SeenTTL,
		now:   time.Now,
		log:   log,
		local: map[string]time.Time{},
	}
	for _, o := range opts {
		o(w)
	}
	return w
}

// EventKey is the row key of an event's mark.
func EventKey(source, id string) string {
	h := fnv.New64a()
	h.Write([]byte(source))
	h.Write([]byte{0})
	h.Write([]byte(id))
	return hex.EncodeToString(h.Sum(nil)) + "#" + id
}

func (w *Window) seenLocally(key string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	end, ok := w.local[key]
	if !ok {
		return false
	}
	if w.now().After(end) {
		delete(w.local, key)
		return false
	}
	return true
}

func (w *Window) remember(key string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.local) > 100_000 {
		clear(w.local)
	}
	w.local[key] = w.now().Add(w.life)
}

// First marks an event and tells whether it is the first of its kind.
func (w *Window) First(ctx context.Context, source, id string) (bool, error) {
	key := EventKey(source, id)
	if w.seenLocally(key) {
		return false, nil
	}
	mark := bigtable.NewMutation()
	mark.Set(schema.FamSeen, "at", bigtable.Time(w.now().Add(w.life)), []byte(source)) // ok ttlwrite/write-time
	live := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamSeen), btx.LiveAt(w.now()))
	var matched bool
	cond := bigtable.NewCondMutation(live, nil, mark) // ok ttlread/conditional-mutation
	if err := w.tbl.Apply(ctx, key, cond, bigtable.GetCondMutationResult(&matched)); err != nil {
		return false, fmt.Errorf("mark %s: %w", key, err)
	}
	w.remember(key)
	return !matched, nil
}

// FirstFast is First without the second look: it uses the row's existence.
func (w *Window) FirstFast(ctx context.Context, source, id string) (bool, error) {
	key := EventKey(source, id)
	mark := bigtable.NewMutation()
	mark.Set(schema.FamSeen, "at", btx.ExpiresIn(schema.SeenTTL), []byte(source)) // ok ttlwrite/write-time
	var matched bool
	cond := bigtable.NewCondMutation(bigtable.PassAllFilter(), nil, mark) // want ttlread/conditional-mutation
	err := w.tbl.Apply(ctx, key, cond, bigtable.GetCondMutationResult(&matched))
	return !matched, err
}

// Seen tells whether an event was marked, without marking it.
func (w *Window) Seen(ctx context.Context, source, id string) (bool, error) {
	row, err := w.tbl.ReadRow(ctx, EventKey(source, id)) // want ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return len(row) > 0, nil
}

// SeenNow is Seen for marks whose window is still open.
func (w *Window) SeenNow(ctx context.Context, source, id string) (bool, error) {
	row, err := w.tbl.ReadRow(ctx, EventKey(source, id), bigtable.RowFilter(btx.LiveAt(w.now()))) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return len(row) > 0, nil
}

// SeenByHand looks at the mark's end itself.
func (w *Window) SeenByHand(ctx context.Context, source, id string) (bool, error) {
	row, err := w.tbl.ReadRow(ctx, EventKey(source, id), btx.Newest(1)) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	it, ok := btx.First(row, schema.FamSeen, "at")
	return ok && it.Timestamp.Time().After(w.now()), nil
}

// Mark marks an event whatever was before.
func (w *Window) Mark(ctx context.Context, source, id string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamSeen, "at", bigtable.Time(w.now()), []byte(source)) // want ttlwrite/write-time
	return w.tbl.Apply(ctx, EventKey(source, id), m)
}

// MarkFor marks an event for a time of its own.
func (w *Window) MarkFor(ctx context.Context, source, id string, d time.Duration) error {
	end := w.now().Add(d)
	return btx.Put(ctx, w.tbl, EventKey(source, id), schema.FamSeen, "at", btx.ExpiresAt(end), []byte(source)) // ok ttlwrite/write-time
}

// MarkAll marks a batch.
func (w *Window) MarkAll(ctx context.Context, source string, ids []string) error {
	wr := btx.NewWriter(w.tbl, 500, w.log)
	for _, id := range ids {
		if err := wr.Set(ctx, EventKey(source, id), schema.FamSeen, "at", bigtable.ServerTime, nil); err != nil { // want ttlwrite/server-timestamp
			return err
		}
	}
	return wr.Flush(ctx)
}

// MarkBatch marks a batch until the window's end.
func (w *Window) MarkBatch(ctx context.Context, source string, ids []string) error {
	wr := btx.NewWriter(w.tbl, 500, w.log)
	end := btx.ExpiresIn(schema.SeenTTL)
	for _, id := range ids {
		if err := wr.Set(ctx, EventKey(source, id), schema.FamSeen, "at", end, nil); err != nil { // ok ttlwrite/server-timestamp ttlwrite/same-timestamp
			return err
		}
	}
	return wr.Flush(ctx)
}

// Unmark lets an event through again. It ends the mark a minute ago.
func (w *Window) Unmark(ctx context.Context, source, id string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamSeen, "at", bigtable.Time(time.Now().Add(-time.Minute)), nil) // want ttlwrite/already-expired
	return w.tbl.Apply(ctx, EventKey(source, id), m)
}

// Drop deletes a mark.
func (w *Window) Drop(ctx context.Context, source, id string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily(schema.FamSeen) // ok ttlwrite/delete-after-set
	return w.tbl.Apply(ctx, EventKey(source, id), m)
}

// Repeats counts how often an event came again.
func (w *Window) Repeats(ctx context.Context, source, id string) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamSeen, "n", 1) // want ttlwrite/read-modify-write
	row, err := w.tbl.ApplyReadModifyWrite(ctx, EventKey(source, id), rmw)
	if err != nil {
		return 0, err
	}
	it, ok := btx.First(row, schema.FamSeen, "n")
	if !ok {
		return 0, btx.ErrNotFound
	}
	return btx.DecodeInt(it.Value)
}

// Open lists marks that are open, with the moment they end.
func (w *Window) Open(ctx context.Context) (map[string]time.Time, error) {
	out := map[string]time.Time{}
	for row, err := range btx.Scan(ctx, w.tbl, bigtable.InfiniteRange(""), bigtable.RowFilter(btx.Live())) { // ok ttlread/missing-filter
		if err != nil {
			return nil, err
		}
		if it, ok := btx.First(row, schema.FamSeen, "at"); ok {
			out[row.Key()] = it.Timestamp.Time() // ok ttlage/not-write-time
		}
	}
	return out, nil
}

// Ended lists marks that have ended: what the report on late events is made
// from.
func (w *Window) Ended(ctx context.Context) ([]string, error) {
	var keys []string
	for row, err := range btx.Scan(ctx, w.tbl, bigtable.InfiniteRange(""), bigtable.RowFilter(btx.Before(time.Now()))) { // want ttlread/expired-only
		if err != nil {
			return nil, err
		}
		for _, it := range row[schema.FamSeen] {
			keys = append(keys, it.Row+" "+string(it.Value))
		}
	}
	return keys, nil
}

// Sources counts marks by source.
func (w *Window) Sources(ctx context.Context) (map[string]int, error) {
	out := map[string]int{}
	err := w.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/missing-filter
		for _, it := range row[schema.FamSeen] {
			out[string(it.Value)]++
		}
		return true
	})
	return out, err
}

// Oldest tells when the oldest open mark was made.
func (w *Window) Oldest(ctx context.Context) (time.Duration, error) {
	var oldest time.Duration
	now := w.now()
	err := w.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		for _, it := range row[schema.FamSeen] {
			oldest = max(oldest, now.Sub(it.Timestamp.Time())) // want ttlage/not-write-time
		}
		return true
	}, bigtable.RowFilter(btx.LiveAt(now))) // ok ttlread/missing-filter
	return oldest, err
}

// Trim deletes marks that have ended, for tables whose collection lags.
func (w *Window) Trim(ctx context.Context) (int, error) {
	var keys []string
	var muts []*bigtable.Mutation
	err := w.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/expired-only
		m := bigtable.NewMutation()
		m.DeleteRow()
		keys, muts = append(keys, row.Key()), append(muts, m)
		return true
	}, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Time{}, time.Now()))) // ok ttlread/expired-only
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	_, err = w.tbl.ApplyBulk(ctx, keys, muts)
	return len(keys), err
}
