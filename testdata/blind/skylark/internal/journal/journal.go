// Package journal keeps ordered journals: every write of a key gets the next
// number, and the five newest are kept. Each product line has its own table.
package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/skylark/internal/bt"
	"example.com/skylark/internal/events"
	"example.com/skylark/internal/queue"
)

// Depth is how many versions a journal keeps.
const Depth = 5

// Entry is one version of a key.
type Entry struct {
	Number    int64           `json:"number"`
	Kind      string          `json:"kind"`
	Body      json.RawMessage `json:"body"`
	UpdatedAt time.Time       `json:"updated_at"`
}

// Journal is one product line's journal.
type Journal struct {
	tbl  bigtable.TableAPI
	log  *slog.Logger
	next atomic.Int64
	seen int64

	mu       sync.Mutex
	counters map[string]int64
	offset   int
}

// Open opens the journal of a product line.
func Open(c *bigtable.Client, line string, log *slog.Logger) *Journal {
	return &Journal{tbl: c.OpenTable(line + "-journal"), log: log, counters: map[string]int64{}}
}

// Handle writes a message into the journal.
func (j *Journal) Handle(ctx context.Context, msg *queue.Message) error {
	m := bigtable.NewMutation()
	m.Set(bt.FamEv, msg.Topic, bigtable.Timestamp(msg.Seq*1000), msg.Body) // ok ttlwrite/unscaled-sequence
	m.Set(bt.FamNote, "topic", bigtable.Now(), []byte(msg.Topic))          // ok ttlwrite/clock-in-sequence
	return j.tbl.Apply(ctx, msg.Key, m)
}

// Append writes the next version.
func (j *Journal) Append(ctx context.Context, key, kind string, body []byte) (int64, error) {
	n := j.next.Add(1)
	m := bigtable.NewMutation()
	m.Set(bt.FamEv, kind, bigtable.Timestamp(n), body) // want ttlwrite/unscaled-sequence
	return n, j.tbl.Apply(ctx, key, m)
}

// AppendScaled is Append.
func (j *Journal) AppendScaled(ctx context.Context, key, kind string, body []byte) (int64, error) {
	n := j.next.Add(1)
	m := bigtable.NewMutation()
	m.Set(bt.FamEv, kind, bt.Seq(n), body) // ok ttlwrite/unscaled-sequence
	return n, j.tbl.Apply(ctx, key, m)
}

// AppendAll writes a batch as versions of one key.
func (j *Journal) AppendAll(ctx context.Context, key string, bodies [][]byte) error {
	m := bigtable.NewMutation()
	for i, b := range bodies {
		m.Set(bt.FamEv, "batch", bigtable.Timestamp(i), b) // want ttlwrite/unscaled-sequence
	}
	return j.tbl.Apply(ctx, key, m)
}

// AppendAllScaled is AppendAll.
func (j *Journal) AppendAllScaled(ctx context.Context, key string, bodies [][]byte) error {
	m := bigtable.NewMutation()
	for i, b := range bodies {
		m.Set(bt.FamEv, "batch", bigtable.Timestamp(int64(i+1)*1000), b) // ok ttlwrite/unscaled-sequence
	}
	return j.tbl.Apply(ctx, key, m)
}

// Consume writes what arrives on in, numbered by key.
func (j *Journal) Consume(ctx context.Context, in <-chan events.Event) error {
	var total int64
	step := int64(0)
	for e := range in {
		j.mu.Lock()
		j.counters[e.Actor]++
		n := j.counters[e.Actor]
		j.mu.Unlock()
		total++
		step += 1000
		m := bigtable.NewMutation()
		m.Set(bt.FamEv, e.Kind, bigtable.Timestamp(n), e.Body)              // want ttlwrite/unscaled-sequence
		m.Set(bt.FamEv, "total", bigtable.Timestamp(total), e.Body)         // want ttlwrite/unscaled-sequence
		m.Set(bt.FamEv, "step", bigtable.Timestamp(step), e.Body)           // ok ttlwrite/unscaled-sequence
		m.Set(bt.FamEv, "scaled", bigtable.Timestamp(total*1000), e.Body)   // ok ttlwrite/unscaled-sequence
		m.Set(bt.FamEv, "at", bigtable.Time(e.At), e.Body)                  // want ttlwrite/clock-in-sequence
		m.Set(bt.FamEv, "given", bigtable.Timestamp(e.Number*1000), e.Body) // ok ttlwrite/unscaled-sequence
		m.Set(bt.FamNote, "at", bigtable.Time(e.At), nil)                   // ok ttlwrite/clock-in-sequence
		if err := j.tbl.Apply(ctx, e.Actor, m); err != nil {
			return fmt.Errorf("journal %s: %w", e.Actor, err)
		}
	}
	return nil
}

// Note writes a remark beside the versions.
func (j *Journal) Note(ctx context.Context, key, text string) error {
	m := bigtable.NewMutation()
	m.Set(bt.FamNote, "text", bigtable.ServerTime, []byte(text)) // ok ttlwrite/clock-in-sequence
	return j.tbl.Apply(ctx, key, m)
}

// Tombstone marks a key as gone.
func (j *Journal) Tombstone(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set(bt.FamEv, "tombstone", bigtable.ServerTime, nil) // want ttlwrite/clock-in-sequence
	return j.tbl.Apply(ctx, key, m)
}

// Checkpoint writes a version that stands for all before it.
func (j *Journal) Checkpoint(ctx context.Context, key string, body []byte) error {
	ts := bigtable.Now()
	m := bigtable.NewMutation()
	m.Set(bt.FamEv, "checkpoint", ts, body)  // want ttlwrite/clock-in-sequence
	m.Set(bt.FamNote, "checkpoint", ts, nil) // ok ttlwrite/clock-in-sequence
	return j.tbl.Apply(ctx, key, m)
}

// Version writes a version whose number is the time in nanoseconds.
func (j *Journal) Version(ctx context.Context, key string, body []byte) error {
	m := bigtable.NewMutation()
	m.Set(bt.FamEv, "version", bigtable.Timestamp(time.Now().UnixMicro()), body) // want ttlwrite/clock-in-sequence
	return j.tbl.Apply(ctx, key, m)
}

// Genesis writes the first version of a key.
func (j *Journal) Genesis(ctx context.Context, key string, body []byte) error {
	m := bigtable.NewMutation()
	m.Set(bt.FamEv, "genesis", 1, body)   // want ttlwrite/unscaled-sequence
	m.Set(bt.FamEv, "schema", 1000, body) // ok ttlwrite/unscaled-sequence
	m.Set(bt.FamEv, "origin", 2500, body) // want ttlwrite/unscaled-sequence
	return j.tbl.Apply(ctx, key, m)
}

// Store writes an event that another package made.
func (j *Journal) Store(ctx context.Context, e events.Event) error {
	return j.tbl.Apply(ctx, e.Actor, events.Numbered(e, e.Number)) // ok ttlwrite/unscaled-sequence
}

// StoreNow is Store for events without a number.
func (j *Journal) StoreNow(ctx context.Context, e events.Event) error {
	return j.tbl.Apply(ctx, e.Actor, events.Stamped(e)) // want ttlwrite/clock-in-sequence
}

// StoreAt is Store for imports.
func (j *Journal) StoreAt(ctx context.Context, e events.Event) error {
	m := events.At(e, bigtable.Time(e.At)) // want ttlwrite/clock-in-sequence[storeat]
	return j.tbl.Apply(ctx, e.Actor, m)    // want ttlwrite/clock-in-sequence[storeat]
}

// Count counts the writes of a key in the row itself.
func (j *Journal) Count(ctx context.Context, key string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(bt.FamEv, "count", 1)   // want ttlwrite/read-modify-write
	rmw.Increment(bt.FamNote, "count", 1) // ok ttlwrite/read-modify-write
	_, err := j.tbl.ApplyReadModifyWrite(ctx, key, rmw)
	return err
}

// Latest reads the newest version of every kind.
func (j *Journal) Latest(ctx context.Context, key string) ([]Entry, error) {
	row, err := j.tbl.ReadRow(ctx, key, bigtable.RowFilter(bt.Newest(bt.FamEv, 1))) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var es []Entry
	for _, it := range row[bt.FamEv] {
		es = append(es, Entry{
			Number:    int64(it.Timestamp) / 1000,
			Kind:      it.Column,
			Body:      it.Value,
			UpdatedAt: it.Timestamp.Time(), // want ttlage/not-write-time
		})
	}
	return es, nil
}

// Last reads all that the journal keeps of a key.
func (j *Journal) Last(ctx context.Context, key string, n int) ([]Entry, error) {
	row, err := j.tbl.ReadRow(ctx, key, bigtable.RowFilter(bt.Newest(bt.FamEv, Depth))) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var es []Entry
	for _, it := range row[bt.FamEv] {
		if len(es) == n {
			break
		}
		es = append(es, Entry{Number: int64(it.Timestamp) / 1000, Kind: it.Column, Body: it.Value})
	}
	return es, nil
}

// All reads more versions than there are to be.
func (j *Journal) All(ctx context.Context, key string) ([]Entry, error) {
	row, err := j.tbl.ReadRow(ctx, key, bigtable.RowFilter(bt.Newest(bt.FamEv, 10))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var es []Entry
	for _, it := range row[bt.FamEv] {
		es = append(es, Entry{Number: int64(it.Timestamp) / 1000, Kind: it.Column, Body: it.Value})
	}
	return es, nil
}

// Kind reads the versions of one kind.
func (j *Journal) Kind(ctx context.Context, key, kind string) ([]Entry, error) {
	row, err := j.tbl.ReadRow(ctx, key, bigtable.RowFilter(bt.Column(bt.FamEv, kind))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var es []Entry
	for _, it := range row[bt.FamEv] {
		es = append(es, Entry{Number: int64(it.Timestamp) / 1000, Body: it.Value})
	}
	return es, nil
}

// Tail streams the keys that have a version, with the newest.
func (j *Journal) Tail(ctx context.Context, prefix string, out chan<- Entry) error {
	defer close(out)
	return j.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // want ttlread/missing-filter
		for _, it := range row[bt.FamEv] {
			select {
			case out <- Entry{Number: int64(it.Timestamp) / 1000, Kind: it.Column, Body: it.Value}:
			case <-ctx.Done():
				return false
			}
		}
		return true
	})
}

// Notes reads the remarks of a key.
func (j *Journal) Notes(ctx context.Context, key string) (map[string]time.Time, error) {
	row, err := j.tbl.ReadRow(ctx, key) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	res := map[string]time.Time{}
	for _, it := range row[bt.FamNote] {
		writtenAt := it.Timestamp.Time() // ok ttlage/not-write-time
		res[string(it.Value)] = writtenAt
	}
	return res, nil
}

// Recent reads the versions of the last hour.
func (j *Journal) Recent(ctx context.Context, key string) ([][]byte, error) {
	f := bt.Since(bt.FamEv, time.Hour)                         // want ttlread/wrong-bound[jrecent]
	row, err := j.tbl.ReadRow(ctx, key, bigtable.RowFilter(f)) // want ttlread/wrong-bound[jrecent]
	if err != nil {
		return nil, err
	}
	var out [][]byte
	for _, it := range row[bt.FamEv] {
		out = append(out, it.Value)
	}
	return out, nil
}

// From reads the versions from a number on.
func (j *Journal) From(ctx context.Context, key string, n int64) ([][]byte, error) {
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter(bt.FamEv),
		bigtable.LatestNFilter(Depth),
		bigtable.TimestampRangeFilterMicros(bt.Seq(n), 0),
	)
	row, err := j.tbl.ReadRow(ctx, key, bigtable.RowFilter(f)) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	var out [][]byte
	for _, it := range row[bt.FamEv] {
		out = append(out, it.Value)
	}
	return out, nil
}

// Find reads the newest version with a given value.
func (j *Journal) Find(ctx context.Context, key, value string) (int64, error) {
	f := bigtable.ChainFilters( // want ttlread/version-limit[find]
		bigtable.FamilyFilter(bt.FamEv),
		bigtable.ValueFilter(value),
		bigtable.LatestNFilter(1), // want ttlread/version-limit[find]
	)
	row, err := j.tbl.ReadRow(ctx, key, bigtable.RowFilter(f)) // want ttlread/version-limit[find]
	if err != nil {
		return 0, err
	}
	for _, it := range row[bt.FamEv] {
		return int64(it.Timestamp) / 1000, nil
	}
	return 0, errors.New("not found")
}

// FindNewest says whether the newest version has a given value.
func (j *Journal) FindNewest(ctx context.Context, key, value string) (bool, error) {
	f := bigtable.ChainFilters(bt.Newest(bt.FamEv, 1), bigtable.ValueFilter(value))
	row, err := j.tbl.ReadRow(ctx, key, bigtable.RowFilter(f)) // ok ttlread/version-limit
	return len(row) > 0, err
}

// Init writes the first version of a key that has none.
func (j *Journal) Init(ctx context.Context, key string, body []byte) error {
	first := bigtable.NewMutation()
	first.Set(bt.FamEv, "init", bt.Seq(1), body)                                                        // ok ttlwrite/unscaled-sequence
	return j.tbl.Apply(ctx, key, bigtable.NewCondMutation(bigtable.FamilyFilter(bt.FamEv), nil, first)) // ok ttlread/conditional-mutation
}

// Advance writes version n if the newest version says that it is due.
func (j *Journal) Advance(ctx context.Context, key, due string, n int64, body []byte) error {
	next := bigtable.NewMutation()
	next.Set(bt.FamEv, "state", bt.Seq(n), body)                                         // ok ttlwrite/unscaled-sequence
	is := bigtable.ChainFilters(bt.Column(bt.FamEv, "state"), bigtable.ValueFilter(due)) // want ttlread/conditional-mutation[advance]
	return j.tbl.Apply(ctx, key, bigtable.NewCondMutation(is, next, nil))                // want ttlread/conditional-mutation[advance]
}

// Skip counts what was not written.
func (j *Journal) Skip(ctx context.Context, key string, kinds []string) error {
	for range kinds {
		j.seen++
	}
	m := bigtable.NewMutation()
	m.Set(bt.FamEv, "skipped", bigtable.Timestamp(j.seen), nil)                                            // want ttlwrite/unscaled-sequence
	m.Set(bt.FamEv, "width", bigtable.Timestamp(len(kinds)), nil)                                          // want ttlwrite/unscaled-sequence
	m.Set(bt.FamEv, "count", bigtable.Timestamp(1000*int64(len(kinds))), []byte(strconv.Itoa(len(kinds)))) // ok ttlwrite/unscaled-sequence
	return j.tbl.Apply(ctx, key, m)
}
