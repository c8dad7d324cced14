// Package audit writes who did what. Entries are numbered: the number is the version of the cell.
package audit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/apiv2/bigtablepb"

	"medboard.example/board/btx"
	"medboard.example/board/clock"
	"medboard.example/board/schema"
)

const (
	famEntry = schema.Entry
	famActor = schema.Actor
)

// Entry is one thing that was done.
type Entry struct {
	Seq     int64     `json:"seq"`
	Actor   string    `json:"actor"`
	Action  string    `json:"action"`
	At      time.Time `json:"at"`
	Updated time.Time `json:"updated,omitzero"`
}

// Trail is the audit trail of a ward.
type Trail struct {
	tbl  btx.Table
	nums clock.Numbers
	clk  clock.Clock

	mu   sync.Mutex
	last map[string]int64
	seq  atomic.Int64
}

// New returns a Trail.
func New(tbl btx.Table, nums clock.Numbers, clk clock.Clock) *Trail {
	return &Trail{tbl: tbl, nums: nums, clk: clk, last: make(map[string]int64)}
}

// OpenTrail opens the trail of a ward.
func OpenTrail(client *bigtable.Client, ward string, nums clock.Numbers, clk clock.Clock) *Trail {
	return New(btx.Meter(client.Open(schema.AuditTable(ward))), nums, clk)
}

func (t *Trail) encode(e Entry) []byte {
	b, err := json.Marshal(e)
	if err != nil {
		return []byte("{}")
	}
	return b
}

// Add appends an entry.
func (t *Trail) Add(ctx context.Context, subject string, e Entry) (int64, error) {
	e.Seq = t.nums.Next(subject)
	e.At = t.clk.Now()
	mut := bigtable.NewMutation()
	mut.Set(famEntry, "log", btx.Number(e.Seq), t.encode(e))        // ok ttlwrite/unscaled-sequence
	mut.Set(famActor, "name", bigtable.Now(), []byte(e.Actor))      // ok ttlwrite/clock-in-sequence
	mut.Set(famActor, "last", bigtable.ServerTime, []byte(e.Actor)) // ok ttlwrite/clock-in-sequence
	if err := t.tbl.Apply(ctx, subject, mut); err != nil {
		return 0, fmt.Errorf("audit %s: %w", subject, err)
	}
	t.mu.Lock()
	t.last[subject] = e.Seq
	t.mu.Unlock()
	return e.Seq, nil
}

// AddNow appends an entry without asking for a number.
func (t *Trail) AddNow(ctx context.Context, subject string, e Entry) error {
	mut := bigtable.NewMutation()
	mut.Set(famEntry, "log", bigtable.Now(), t.encode(e))      // want ttlwrite/clock-in-sequence
	mut.Set(famActor, "name", bigtable.Now(), []byte(e.Actor)) // ok ttlwrite/clock-in-sequence
	return t.tbl.Apply(ctx, subject, mut)
}

// AddLocal numbers entries with a counter of this process.
func (t *Trail) AddLocal(ctx context.Context, subject string, e Entry) error {
	n := t.seq.Add(1)
	mut := bigtable.NewMutation()
	mut.Set(famEntry, "local", bigtable.Timestamp(n), t.encode(e))       // want ttlwrite/unscaled-sequence
	mut.Set(famEntry, "scaled", bigtable.Timestamp(n*1000), t.encode(e)) // ok ttlwrite/unscaled-sequence
	return t.tbl.Apply(ctx, subject, mut)
}

// AddNext numbers entries with the last number that this process saw.
func (t *Trail) AddNext(ctx context.Context, subject string, e Entry) error {
	t.mu.Lock()
	t.last[subject]++
	n := t.last[subject]
	t.mu.Unlock()
	mut := bigtable.NewMutation()
	mut.Set(famEntry, "log", bigtable.Timestamp(n), t.encode(e)) // want ttlwrite/unscaled-sequence
	return t.tbl.Apply(ctx, subject, mut)
}

// AddAll appends several entries.
func (t *Trail) AddAll(ctx context.Context, subject string, es []Entry) error {
	mut := bigtable.NewMutation()
	for i, e := range es {
		mut.Set(famEntry, "batch", bigtable.Timestamp(i), t.encode(e))            // want ttlwrite/unscaled-sequence
		mut.Set(famEntry, "batch-n", bigtable.Timestamp((i+1)*1000), t.encode(e)) // ok ttlwrite/unscaled-sequence
	}
	mut.Set(famEntry, "count", bigtable.Timestamp(len(es)), nil)  // want ttlwrite/unscaled-sequence
	mut.Set(famEntry, "count-n", btx.Number(int64(len(es))), nil) // ok ttlwrite/unscaled-sequence
	return t.tbl.Apply(ctx, subject, mut)
}

// Replay writes entries again, newest first.
func (t *Trail) Replay(ctx context.Context, subject string, es []Entry) error {
	for i := range es {
		mut := bigtable.NewMutation()
		mut.Set(famEntry, "replay", bigtable.Timestamp(len(es)-i), t.encode(es[i])) // want ttlwrite/unscaled-sequence
		if err := t.tbl.Apply(ctx, subject, mut); err != nil {
			return err
		}
	}
	ts := bigtable.Timestamp(0)
	for _, e := range es {
		ts += 1000
		mut := bigtable.NewMutation()
		mut.Set(famEntry, "again", ts, t.encode(e)) // ok ttlwrite/unscaled-sequence
		if err := t.tbl.Apply(ctx, subject, mut); err != nil {
			return err
		}
	}
	return nil
}

// Correct replaces the newest entry by one that is stamped with the time of the correction.
func (t *Trail) Correct(ctx context.Context, subject string, e Entry, at time.Time) error {
	mut := bigtable.NewMutation()
	mut.Set(famEntry, "log", bigtable.Time(at), t.encode(e))                          // want ttlwrite/clock-in-sequence
	mut.Set(famEntry, "by-number", bigtable.Time(time.UnixMilli(e.Seq)), t.encode(e)) // ok ttlwrite/clock-in-sequence
	mut.Set(famActor, "name", bigtable.Time(at), []byte(e.Actor))                     // ok ttlwrite/clock-in-sequence
	return t.tbl.Apply(ctx, subject, mut)
}

// Seal marks the end of a trail.
func (t *Trail) Seal(ctx context.Context, subject string) error {
	mut := bigtable.NewMutation()
	mut.Set(famEntry, "seal", bigtable.ServerTime, []byte("sealed"))                 // want ttlwrite/clock-in-sequence
	mut.Set(famEntry, "sealed-at", bigtable.Timestamp(t.clk.Now().UnixMicro()), nil) // want ttlwrite/clock-in-sequence
	mut.Set(famActor, "sealed-at", bigtable.Timestamp(t.clk.Now().UnixMicro()), nil) // ok ttlunit/wrong-unit ttlwrite/clock-in-sequence
	mut.Set(famEntry, "first", 1000, nil)                                            // ok ttlwrite/unscaled-sequence
	mut.Set(famEntry, "version", 1, nil)                                             // want ttlwrite/unscaled-sequence
	return t.tbl.Apply(ctx, subject, mut)
}

// Count counts in the trail itself.
func (t *Trail) Count(ctx context.Context, subject string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(famEntry, "count", 1)                     // want ttlwrite/read-modify-write[count]
	_, err := t.tbl.ApplyReadModifyWrite(ctx, subject, rmw) // want ttlwrite/read-modify-write[count]
	return err
}

// CountActor counts beside the trail.
func (t *Trail) CountActor(ctx context.Context, subject string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(famActor, "count", 1)             // ok ttlwrite/read-modify-write
	rmw.AppendValue(famActor, "names", []byte(";")) // ok ttlwrite/read-modify-write
	_, err := t.tbl.ApplyReadModifyWrite(ctx, subject, rmw)
	return err
}

func parse(it bigtable.ReadItem) (Entry, error) {
	var e Entry
	if err := json.Unmarshal(it.Value, &e); err != nil {
		return e, err
	}
	e.Seq = btx.NumberOf(it)
	return e, nil
}

// Latest returns the newest entry.
func (t *Trail) Latest(ctx context.Context, subject string) (Entry, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(famEntry), bigtable.ColumnFilter("log"), bigtable.LatestNFilter(1))
	row, err := t.tbl.ReadRow(ctx, subject, bigtable.RowFilter(f)) // ok ttlread/version-limit
	if err != nil {
		return Entry{}, err
	}
	it, ok := btx.Cell(row, famEntry, "log")
	if !ok {
		return Entry{}, btx.ErrNotFound
	}
	return parse(it)
}

// History returns the last entries.
func (t *Trail) History(ctx context.Context, subject string) ([]Entry, error) {
	row, err := t.tbl.ReadRow(ctx, subject, bigtable.RowFilter(btx.Family(famEntry, bigtable.LatestNFilter(schema.EntryVersions)))) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return entries(row)
}

// LongHistory returns more of the last entries.
func (t *Trail) LongHistory(ctx context.Context, subject string) ([]Entry, error) {
	row, err := t.tbl.ReadRow(ctx, subject, bigtable.RowFilter(btx.Family(famEntry, bigtable.LatestNFilter(50)))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return entries(row)
}

// All returns every entry that is still there.
func (t *Trail) All(ctx context.Context, subject string) ([]Entry, error) {
	row, err := t.tbl.ReadRow(ctx, subject) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return entries(row)
}

// Column returns the entries of one column.
func (t *Trail) Column(ctx context.Context, subject, column string) ([]Entry, error) {
	row, err := t.tbl.ReadRow(ctx, subject, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(famEntry), bigtable.ColumnFilter(column)))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return entries(row)
}

// Today returns the entries of today.
func (t *Trail) Today(ctx context.Context, subject string) ([]Entry, error) {
	f := btx.Family(famEntry, btx.Within(t.clk.Now(), 24*time.Hour)) // want ttlread/wrong-bound[tod]
	row, err := t.tbl.ReadRow(ctx, subject, bigtable.RowFilter(f))   // want ttlread/wrong-bound[tod]
	if err != nil {
		return nil, err
	}
	return entries(row)
}

// Range returns the entries between two numbers.
func (t *Trail) Range(ctx context.Context, subject string, from, to int64) ([]Entry, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(famEntry), bigtable.TimestampRangeFilterMicros(btx.Number(from), btx.Number(to)), bigtable.LatestNFilter(schema.EntryVersions))
	row, err := t.tbl.ReadRow(ctx, subject, bigtable.RowFilter(f)) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return entries(row)
}

// ActorsToday returns who did something today.
func (t *Trail) ActorsToday(ctx context.Context, subject string) ([]string, error) {
	row, err := t.tbl.ReadRow(ctx, subject, bigtable.RowFilter(btx.Family(famActor, btx.Within(t.clk.Now(), 24*time.Hour)))) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return []string{btx.Value(row, famActor, "name")}, nil
}

// Found looks for an action in the newest entries.
func (t *Trail) Found(ctx context.Context, subject, action string) (bool, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(famEntry), bigtable.LatestNFilter(1), bigtable.ValueFilter(".*"+action+".*"))
	row, err := t.tbl.ReadRow(ctx, subject, bigtable.RowFilter(f)) // ok ttlread/version-limit
	return err == nil && len(row[famEntry]) > 0, err
}

// FoundEver looks for an action, and takes the newest entry that has it.
func (t *Trail) FoundEver(ctx context.Context, subject, action string) (bool, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(famEntry), bigtable.ValueFilter(".*"+action+".*"), bigtable.LatestNFilter(1)) // want ttlread/version-limit[ever]
	row, err := t.tbl.ReadRow(ctx, subject, bigtable.RowFilter(f))                                                                 // want ttlread/version-limit[ever]
	return err == nil && len(row[famEntry]) > 0, err
}

// Begin starts a trail unless there is one.
func (t *Trail) Begin(ctx context.Context, subject string) error {
	set := bigtable.NewMutation()
	set.Set(famEntry, "log", btx.Number(1), t.encode(Entry{Action: "begin"}))                             // ok ttlwrite/unscaled-sequence
	return t.tbl.Apply(ctx, subject, bigtable.NewCondMutation(bigtable.FamilyFilter(famEntry), nil, set)) // ok ttlread/conditional-mutation
}

// Reopen opens a sealed trail.
func (t *Trail) Reopen(ctx context.Context, subject string) error {
	set := bigtable.NewMutation()
	set.Set(famEntry, "seal", btx.Number(t.nums.Next(subject)), []byte("open"))
	pred := bigtable.ChainFilters(bigtable.FamilyFilter(famEntry), bigtable.ColumnFilter("seal"), bigtable.ValueFilter("sealed")) // want ttlread/conditional-mutation[reopen]
	return t.tbl.Apply(ctx, subject, bigtable.NewCondMutation(pred, set, nil))                                                    // want ttlread/conditional-mutation[reopen]
}

func entries(row bigtable.Row) ([]Entry, error) {
	var out []Entry
	var errs []error
	for _, it := range row[famEntry] {
		e, err := parse(it)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		out = append(out, e)
	}
	return out, errors.Join(errs...)
}

// LastChange returns when a subject was last changed.
func (t *Trail) LastChange(ctx context.Context, subject string) (entry, actor time.Time, err error) {
	f := bigtable.LatestNFilter(1)
	row, err := t.tbl.ReadRow(ctx, subject, bigtable.RowFilter(f)) // ok ttlread/version-limit
	if err != nil {
		return entry, actor, err
	}
	var e Entry
	if it, ok := btx.Cell(row, famEntry, "log"); ok {
		e.Updated = it.Timestamp.Time() // want ttlage/not-write-time
	}
	if it, ok := btx.Cell(row, famActor, "name"); ok {
		actor = it.Timestamp.Time() // ok ttlage/not-write-time
	}
	return e.Updated, actor, nil
}

// Raw is the entry as a message, for the replication tool.
func Raw(ward, subject string, seq int64, value []byte) *bigtablepb.MutateRowRequest {
	return &bigtablepb.MutateRowRequest{
		TableName: "projects/hospital/instances/wards/tables/" + schema.AuditTable(ward),
		RowKey:    []byte(subject),
		Mutations: []*bigtablepb.Mutation{{
			Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{
				FamilyName: "entry", ColumnQualifier: []byte("log"), TimestampMicros: seq * 1000, Value: value, // ok ttlwrite/unset-timestamp
			}},
		}},
	}
}

// RawAlarm is an alarm as a message.
func RawAlarm(value []byte) *bigtablepb.Mutation {
	return &bigtablepb.Mutation{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{FamilyName: schema.Alarm, ColumnQualifier: []byte("kind"), Value: value}}} // want ttlwrite/unset-timestamp
}

// RawHold is a hold as a message.
func RawHold(value []byte) *bigtablepb.Mutation {
	return &bigtablepb.Mutation{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{FamilyName: schema.Hold, ColumnQualifier: []byte("patient"), Value: value}}} // want ttlwrite/unset-timestamp
}

// RawState is a state as a message; its timestamp is zero.
func RawState(value []byte) *bigtablepb.Mutation {
	return &bigtablepb.Mutation{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{FamilyName: schema.Last, ColumnQualifier: []byte("v"), Value: value}}} // ok ttlwrite/unset-timestamp
}
