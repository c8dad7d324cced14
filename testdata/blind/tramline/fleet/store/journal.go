package store

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"tramline.example/dal"
	"tramline.example/fleet"
)

// Sequencer hands out the numbers of entries.
type Sequencer interface {
	Next(ctx context.Context, key string) (int64, error)
}

// counter is a Sequencer for one process.
type counter struct {
	mu   sync.Mutex
	last map[string]int64
}

// NewCounter returns a Sequencer that counts in memory.
func NewCounter() Sequencer { return &counter{last: map[string]int64{}} }

func (c *counter) Next(_ context.Context, key string) (int64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last[key]++
	return c.last[key], nil
}

// Journal implements fleet.Journals over the journal of one depot.
type Journal struct {
	tbl   dal.Table
	seq   Sequencer
	clock dal.Clock
	local atomic.Int64
	n     int64
	tick  int64
	per   map[string]int64
}

var _ fleet.Journals = (*Journal)(nil)

// NewJournal opens the journal of a depot.
func NewJournal(c *dal.Client, depot string, seq Sequencer) *Journal {
	return &Journal{tbl: c.Journal(depot), seq: seq, clock: c.Clock(), per: map[string]int64{}}
}

// Append writes an entry under the next number.
func (j *Journal) Append(ctx context.Context, vehicle string, e fleet.Entry) error {
	n, err := j.seq.Next(ctx, vehicle)
	if err != nil {
		return err
	}
	e.No = n
	b, err := json.Marshal(e)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(dal.FamEntry, "e", dal.Seq(n), b) // ok ttlwrite/unscaled-sequence
	return j.tbl.Apply(ctx, vehicle, m)
}

// AppendLocal numbers entries by the process.
func (j *Journal) AppendLocal(ctx context.Context, vehicle, text string) error {
	m := bigtable.NewMutation()
	m.Set(dal.FamEntry, "text", bigtable.Timestamp(j.local.Add(1)), []byte(text))         // want ttlwrite/unscaled-sequence
	m.Set(dal.FamEntry, "textLen", bigtable.Timestamp(j.local.Add(1)*1000), []byte(text)) // ok ttlwrite/unscaled-sequence
	m.Set(dal.FamEntry, "step", bigtable.Timestamp(j.local.Add(1000)), []byte(text))      // ok ttlwrite/unscaled-sequence
	return j.tbl.Apply(ctx, vehicle, m)
}

// AppendField counts in fields.
func (j *Journal) AppendField(ctx context.Context, vehicle, text string) error {
	j.n++
	j.tick += 1000
	j.per[vehicle]++
	m := bigtable.NewMutation()
	m.Set(dal.FamEntry, "n", bigtable.Timestamp(j.n), []byte(text))                    // want ttlwrite/unscaled-sequence
	m.Set(dal.FamEntry, "tick", bigtable.Timestamp(j.tick), []byte(text))              // ok ttlwrite/unscaled-sequence
	m.Set(dal.FamEntry, "per", bigtable.Timestamp(j.per[vehicle]), []byte(text))       // want ttlwrite/unscaled-sequence
	m.Set(dal.FamEntry, "perk", bigtable.Timestamp(1000*j.per[vehicle]), []byte(text)) // ok ttlwrite/unscaled-sequence
	m.Set(dal.FamEntry, "x", dal.Seq(j.n), []byte(text))                               // ok ttlwrite/unscaled-sequence
	return j.tbl.Apply(ctx, vehicle, m)
}

// AppendAll writes a list of entries in one mutation.
func (j *Journal) AppendAll(ctx context.Context, vehicle string, es []fleet.Entry) error {
	m := bigtable.NewMutation()
	for i, e := range es {
		m.Set(dal.FamEntry, "bulk", bigtable.Timestamp(i+1), []byte(e.Text))              // want ttlwrite/unscaled-sequence
		m.Set(dal.FamEntry, "bulk2", bigtable.Timestamp(int64(i+1)*1000), []byte(e.Text)) // ok ttlwrite/unscaled-sequence
		m.Set(dal.FamEntry, "bulk3", bigtable.Timestamp(len(es)-i), []byte(e.Text))       // want ttlwrite/unscaled-sequence
		m.Set(dal.FamEntry, "bulk4", dal.Seq(e.No), []byte(e.Text))                       // ok ttlwrite/unscaled-sequence
	}
	m.Set(dal.FamEntry, "head", bigtable.Timestamp(1500), []byte("head"))  // want ttlwrite/unscaled-sequence
	m.Set(dal.FamEntry, "root", bigtable.Timestamp(1000), []byte("root"))  // ok ttlwrite/unscaled-sequence
	m.Set(dal.FamEntry, "floor", bigtable.Timestamp(0), []byte("nothing")) // ok ttlwrite/unscaled-sequence
	return j.tbl.Apply(ctx, vehicle, m)
}

// Note writes without a number.
func (j *Journal) Note(ctx context.Context, vehicle, text string) error {
	m := bigtable.NewMutation()
	m.Set(dal.FamEntry, "note", bigtable.Now(), []byte(text)) // want ttlwrite/clock-in-sequence
	return j.tbl.Apply(ctx, vehicle, m)
}

// NoteServer lets the server number.
func (j *Journal) NoteServer(ctx context.Context, vehicle, text string) error {
	m := bigtable.NewMutation()
	dal.Put(m, dal.FamEntry, "note", bigtable.ServerTime, []byte(text)) // want ttlwrite/clock-in-sequence
	return j.tbl.Apply(ctx, vehicle, m)
}

// NoteAt writes at the time of the event.
func (j *Journal) NoteAt(ctx context.Context, vehicle, text string, at time.Time) error {
	m := bigtable.NewMutation()
	m.Set(dal.FamEntry, "event", bigtable.Time(at), []byte(text)) // want ttlwrite/clock-in-sequence
	return j.tbl.Apply(ctx, vehicle, m)
}

// NoteUnix uses seconds as sequence numbers.
func (j *Journal) NoteUnix(ctx context.Context, vehicle, text string) error {
	sec := j.clock.Now().Unix()
	m := bigtable.NewMutation()
	m.Set(dal.FamEntry, "sec", dal.Seq(sec), []byte(text)) // want ttlwrite/clock-in-sequence // maybe ttlunit/wrong-unit
	return j.tbl.Apply(ctx, vehicle, m)
}

// NoteNumber makes a time of a number, in the style of the old gateway.
func (j *Journal) NoteNumber(ctx context.Context, vehicle, text string, n int64) error {
	m := bigtable.NewMutation()
	m.Set(dal.FamEntry, "num", bigtable.Time(time.UnixMilli(n)), []byte(text)) // ok ttlwrite/clock-in-sequence
	return j.tbl.Apply(ctx, vehicle, m)
}

// NoteSoon adds to the clock.
func (j *Journal) NoteSoon(ctx context.Context, vehicle, text string) error {
	m := dal.Mutate(dal.Cell(dal.FamEntry, "soon", dal.ExpiresIn(j.clock, time.Hour), text)) // want ttlwrite/clock-in-sequence
	return j.tbl.Apply(ctx, vehicle, m)
}

// NoteNext takes the number of the previous entry.
func (j *Journal) NoteNext(ctx context.Context, vehicle, text string) error {
	prev, err := j.Latest(ctx, vehicle)
	if err != nil {
		return err
	}
	m := dal.Mutate(dal.Cell(dal.FamEntry, "next", dal.Seq(prev.No+1), text)) // ok ttlwrite/clock-in-sequence
	return j.tbl.Apply(ctx, vehicle, m)
}

// Count counts in the family of numbers.
func (j *Journal) Count(ctx context.Context, vehicle string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(dal.FamEntry, "count", 1)           // want ttlwrite/read-modify-write
	rmw.AppendValue(dal.FamEntry, "log", []byte("+")) // want ttlwrite/read-modify-write
	_, err := j.tbl.ApplyReadModifyWrite(ctx, vehicle, rmw)
	return err
}

// Latest reads the newest entry.
func (j *Journal) Latest(ctx context.Context, vehicle string) (fleet.Entry, error) {
	var e fleet.Entry
	row, err := j.tbl.ReadRow(ctx, vehicle, bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/version-limit
	if err != nil {
		return e, err
	}
	for _, it := range row[dal.FamEntry] {
		return e, json.Unmarshal(it.Value, &e)
	}
	return e, dal.ErrNotFound
}

// History reads as many as are kept.
func (j *Journal) History(ctx context.Context, vehicle string) ([]bigtable.ReadItem, error) {
	row, err := j.tbl.ReadRow(ctx, vehicle, bigtable.RowFilter(dal.Latest(dal.JournalVersions))) // ok ttlread/version-limit
	return row[dal.FamEntry], err
}

// HistoryLong reads more than are kept.
func (j *Journal) HistoryLong(ctx context.Context, vehicle string) ([]bigtable.ReadItem, error) {
	row, err := j.tbl.ReadRow(ctx, vehicle, bigtable.RowFilter(dal.Latest(10))) // want ttlread/version-limit
	return row[dal.FamEntry], err
}

// HistoryAll has no filter.
func (j *Journal) HistoryAll(ctx context.Context, vehicle string) ([]bigtable.ReadItem, error) {
	row, err := j.tbl.ReadRow(ctx, vehicle) // want ttlread/missing-filter
	return row[dal.FamEntry], err
}

// HistoryFamily has a filter that limits nothing.
func (j *Journal) HistoryFamily(ctx context.Context, vehicle string) ([]bigtable.ReadItem, error) {
	row, err := j.tbl.ReadRow(ctx, vehicle, bigtable.RowFilter(bigtable.FamilyFilter(dal.FamEntry))) // want ttlread/version-limit
	return row[dal.FamEntry], err
}

// HistoryDay thinks in days.
func (j *Journal) HistoryDay(ctx context.Context, vehicle string) ([]bigtable.ReadItem, error) {
	row, err := j.tbl.ReadRow(ctx, vehicle, bigtable.RowFilter(dal.Younger(j.clock, 24*time.Hour))) // want ttlread/wrong-bound
	return row[dal.FamEntry], err
}

// Range looks numbers up.
func (j *Journal) Range(ctx context.Context, vehicle string, from, to int64) ([]bigtable.ReadItem, error) {
	f := bigtable.ChainFilters(dal.Latest(3), bigtable.TimestampRangeFilterMicros(dal.Seq(from), dal.Seq(to)))
	row, err := j.tbl.ReadRow(ctx, vehicle, bigtable.RowFilter(f)) // ok ttlread/wrong-bound
	return row[dal.FamEntry], err
}

// Search finds the newest entry with a text, after a value filter.
func (j *Journal) Search(ctx context.Context, vehicle, text string) ([]bigtable.ReadItem, error) {
	f := bigtable.ChainFilters(bigtable.ValueFilter(".*"+text+".*"), bigtable.LatestNFilter(1)) // want ttlread/version-limit[search]
	row, err := j.tbl.ReadRow(ctx, vehicle, bigtable.RowFilter(f))                              // want ttlread/version-limit[search]
	return row[dal.FamEntry], err
}

// SearchRight limits first.
func (j *Journal) SearchRight(ctx context.Context, vehicle, text string) ([]bigtable.ReadItem, error) {
	f := bigtable.ChainFilters(bigtable.LatestNFilter(1), bigtable.ValueFilter(".*"+text+".*")) // ok ttlread/version-limit
	row, err := j.tbl.ReadRow(ctx, vehicle, bigtable.RowFilter(f))
	return row[dal.FamEntry], err
}

// Written tells when an entry was written, as if its number were a time.
func (j *Journal) Written(ctx context.Context, vehicle string) (string, error) {
	row, err := j.tbl.ReadRow(ctx, vehicle, bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/version-limit
	if err != nil {
		return "", err
	}
	for _, it := range row[dal.FamEntry] {
		writtenAt := it.Timestamp.Time().Format(time.RFC3339) // want ttlage/not-write-time
		return writtenAt, nil
	}
	return "", dal.ErrNotFound
}

// Number gives the number of the newest entry.
func (j *Journal) Number(ctx context.Context, vehicle string) (int64, error) {
	row, err := j.tbl.ReadRow(ctx, vehicle, bigtable.RowFilter(bigtable.LatestNFilter(1)))
	if err != nil {
		return 0, err
	}
	for _, it := range row[dal.FamEntry] {
		if it.Timestamp == bigtable.ServerTime { // want ttlage/server-sentinel
			return 0, fmt.Errorf("%s: entry without a number", vehicle)
		}
		return dal.SeqOf(it.Timestamp), nil // ok ttlage/not-write-time
	}
	return 0, dal.ErrNotFound
}

// Open makes an entry if the vehicle has none.
func (j *Journal) Open(ctx context.Context, tbl *bigtable.Table, vehicle string) error {
	m := bigtable.NewMutation()
	m.Set(dal.FamEntry, "e", dal.Seq(1), []byte("opened"))                                                // ok ttlwrite/unscaled-sequence
	return tbl.Apply(ctx, vehicle, bigtable.NewCondMutation(bigtable.FamilyFilter(dal.FamEntry), nil, m)) // ok ttlread/conditional-mutation
}

// CloseIf closes a journal whose last entry says so; an old entry will do.
func (j *Journal) CloseIf(ctx context.Context, tbl *bigtable.Table, vehicle string, n int64) error {
	m := bigtable.NewMutation()
	m.Set(dal.FamEntry, "e", dal.Seq(n), []byte("closed"))                                              // ok ttlwrite/unscaled-sequence
	pred := bigtable.ChainFilters(bigtable.FamilyFilter(dal.FamEntry), bigtable.ValueFilter("closing")) // want ttlread/conditional-mutation[closeif]
	return tbl.Apply(ctx, vehicle, bigtable.NewCondMutation(pred, m, nil))                              // want ttlread/conditional-mutation[closeif]
}

// CloseIfLast asks the last entry only.
func (j *Journal) CloseIfLast(ctx context.Context, tbl *bigtable.Table, vehicle string, n int64) error {
	m := bigtable.NewMutation()
	m.Set(dal.FamEntry, "e", dal.Seq(n), []byte("closed")) // ok ttlwrite/unscaled-sequence
	pred := bigtable.ChainFilters(bigtable.FamilyFilter(dal.FamEntry), bigtable.LatestNFilter(1), bigtable.ValueFilter("closing"))
	return tbl.Apply(ctx, vehicle, bigtable.NewCondMutation(pred, m, nil)) // ok ttlread/conditional-mutation
}
