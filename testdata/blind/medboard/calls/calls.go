// Package calls keeps the call tickets of a ward: a patient presses a button, a nurse claims the call.
package calls

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"medboard.example/board/btx"
	"medboard.example/board/clock"
	"medboard.example/board/schema"
)

// columns are the columns of a ticket, in the order of the form.
var columns = []string{"kind", "room", "text"}

// families are the families of the table.
var families = []string{schema.Ticket, schema.Claim, schema.Room}

// Kind is what a call is about.
type Kind string

// Kinds.
const (
	Assist  Kind = "assist"
	Alarm   Kind = "alarm"
	Service Kind = "service"
)

// lifetime is how long a call of each kind stays open.
var lifetime = map[Kind]time.Duration{
	Assist:  20 * time.Minute,
	Alarm:   2 * time.Hour,
	Service: 8 * time.Hour,
}

// Ticket is an open call.
type Ticket struct {
	ID      string    `json:"id"`
	Kind    Kind      `json:"kind"`
	Room    string    `json:"room"`
	Text    string    `json:"text,omitempty"`
	Until   time.Time `json:"until"`
	Updated time.Time `json:"updated,omitzero"`
}

// Queue keeps tickets.
type Queue struct {
	cells btx.Cells
	clk   clock.Clock
	ids   clock.IDs
	log   *slog.Logger
}

// Option changes a Queue.
type Option func(*Queue)

// WithLogger sets the logger.
func WithLogger(l *slog.Logger) Option { return func(q *Queue) { q.log = l } }

// WithIDs sets the source of identifiers.
func WithIDs(ids clock.IDs) Option { return func(q *Queue) { q.ids = ids } }

// New returns a Queue.
func New(cells btx.Cells, clk clock.Clock, opts ...Option) *Queue {
	q := &Queue{cells: cells, clk: clk, ids: clock.Random{}, log: slog.Default()}
	for _, o := range opts {
		o(q)
	}
	return q
}

func (q *Queue) now() bigtable.Timestamp { return bigtable.Time(q.clk.Now()) }

func (q *Queue) deadline(k Kind) bigtable.Timestamp {
	d, ok := lifetime[k]
	if !ok {
		d = time.Hour
	}
	return bigtable.Time(q.clk.Now().Add(d))
}

// Open opens a call.
func (q *Queue) Open(ctx context.Context, ward string, t Ticket) (string, error) {
	id := q.ids.NewID()
	row := ward + "/" + id
	ts := q.deadline(t.Kind)
	for i, v := range []string{string(t.Kind), t.Room, t.Text} {
		if err := q.cells.Put(ctx, row, schema.Ticket, columns[i], ts, []byte(v)); err != nil { // ok ttlwrite/write-time
			return "", err
		}
	}
	if err := q.cells.Put(ctx, row, schema.Room, "opened", q.now(), []byte(t.Room)); err != nil { // ok ttlwrite/write-time
		return "", err
	}
	q.log.Info("call opened", "ward", ward, "id", id, "kind", t.Kind)
	return id, nil
}

// Comment adds a text to a call.
func (q *Queue) Comment(ctx context.Context, ward, id, text string) error {
	if err := q.cells.Put(ctx, ward+"/"+id, schema.Ticket, "comment", q.now(), []byte(text)); err != nil { // want ttlwrite/write-time
		return err
	}
	return q.cells.Put(ctx, ward+"/"+id, schema.Room, "comment", q.now(), []byte(text)) // ok ttlwrite/write-time
}

// Escalate raises a call's urgency.
func (q *Queue) Escalate(ctx context.Context, ward, id string, level int) error {
	fam := families[0]
	if err := q.cells.Put(ctx, ward+"/"+id, fam, "level", bigtable.ServerTime, []byte(strconv.Itoa(level))); err != nil { // want ttlwrite/server-timestamp
		return err
	}
	fam = families[2]
	return q.cells.Put(ctx, ward+"/"+id, fam, "level", bigtable.ServerTime, []byte(strconv.Itoa(level))) // ok ttlwrite/server-timestamp
}

// Take claims a call for a nurse, for the usual ten minutes.
func (q *Queue) Take(ctx context.Context, ward, id, nurse string) error {
	return q.cells.Put(ctx, ward+"/"+id, schema.Claim, "nurse", bigtable.ServerTime, []byte(nurse)) // ok ttlwrite/server-timestamp
}

// TakeFor claims a call for another time than the usual.
func (q *Queue) TakeFor(ctx context.Context, ward, id, nurse string, d time.Duration) error {
	ts := bigtable.Time(q.clk.Now().Add(d - schema.ClaimTTL))
	return q.cells.Put(ctx, ward+"/"+id, schema.Claim, "nurse", ts, []byte(nurse)) // ok ttlwrite/already-expired
}

// Drop gives a claim back.
func (q *Queue) Drop(ctx context.Context, ward, id string) error {
	ts := bigtable.Time(q.clk.Now().Add(-schema.ClaimTTL))
	return q.cells.Put(ctx, ward+"/"+id, schema.Claim, "nurse", ts, nil) // want ttlwrite/already-expired
}

// HalfDrop leaves a claim five minutes.
func (q *Queue) HalfDrop(ctx context.Context, ward, id, nurse string) error {
	ts := bigtable.Time(q.clk.Now().Add(-schema.ClaimTTL / 2))
	return q.cells.Put(ctx, ward+"/"+id, schema.Claim, "nurse", ts, []byte(nurse)) // ok ttlwrite/already-expired
}

// Press counts how often the button was pressed for a call.
func (q *Queue) Press(ctx context.Context, ward, id string) (int64, error) {
	return q.cells.Bump(ctx, ward+"/"+id, schema.Ticket, "presses", 1) // want ttlwrite/read-modify-write
}

// PressRoom counts how often the button of a room was pressed.
func (q *Queue) PressRoom(ctx context.Context, ward, id string) (int64, error) {
	return q.cells.Bump(ctx, ward+"/"+id, schema.Room, "presses", 1) // ok ttlwrite/read-modify-write
}

// PressClaim counts in the claim, where a counter may well end after ten minutes.
func (q *Queue) PressClaim(ctx context.Context, ward, id string) (int64, error) {
	return q.cells.Bump(ctx, ward+"/"+id, schema.Claim, "presses", 1) // ok ttlwrite/read-modify-write
}

// Get returns a call.
func (q *Queue) Get(ctx context.Context, ward, id string) (Ticket, error) {
	row, err := q.cells.Get(ctx, ward+"/"+id, btx.Family(schema.Ticket, btx.Live(q.clk.Now()))) // ok ttlread/missing-filter
	if err != nil {
		return Ticket{}, err
	}
	return decode(id, row)
}

func decode(id string, row bigtable.Row) (Ticket, error) {
	it, ok := btx.Cell(row, schema.Ticket, "kind")
	if !ok {
		return Ticket{}, btx.ErrNotFound
	}
	return Ticket{
		ID:    id,
		Kind:  Kind(it.Value),
		Room:  btx.Value(row, schema.Ticket, "room"),
		Text:  btx.Value(row, schema.Ticket, "text"),
		Until: it.Timestamp.Time(), // ok ttlage/not-write-time
	}, nil
}

// Text returns the text of a call.
func (q *Queue) Text(ctx context.Context, ward, id string) (string, error) {
	row, err := q.cells.Get(ctx, ward+"/"+id, nil) // want ttlread/missing-filter
	if err != nil {
		return "", err
	}
	return btx.Value(row, schema.Ticket, "text"), nil
}

// RoomOf returns the room of a call.
func (q *Queue) RoomOf(ctx context.Context, ward, id string) (string, error) {
	row, err := q.cells.Get(ctx, ward+"/"+id, nil) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	return btx.Value(row, schema.Room, "opened"), nil
}

// Nurse returns who claimed a call.
func (q *Queue) Nurse(ctx context.Context, ward, id string) (string, error) {
	row, err := q.cells.Get(ctx, ward+"/"+id, btx.Family(schema.Claim, btx.Live(q.clk.Now()))) // want ttlread/wrong-bound
	if err != nil {
		return "", err
	}
	return btx.Value(row, schema.Claim, "nurse"), nil
}

// Nurses returns all who claimed a call and still have it.
func (q *Queue) Nurses(ctx context.Context, ward, id string) ([]string, error) {
	row, err := q.cells.Get(ctx, ward+"/"+id, btx.Family(schema.Claim, btx.Within(q.clk.Now(), schema.ClaimTTL))) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row[schema.Claim] {
		out = append(out, string(it.Value))
	}
	return out, nil
}

// ClaimedRecently says whether somebody claimed a call in the last minutes.
func (q *Queue) ClaimedRecently(ctx context.Context, ward, id string) (bool, error) {
	row, err := q.cells.Get(ctx, ward+"/"+id, btx.Family(schema.Claim, btx.Within(q.clk.Now(), 5*time.Minute))) // want ttlread/wrong-bound
	if errors.Is(err, btx.ErrNotFound) {
		return false, nil
	}
	return len(row[schema.Claim]) > 0, err
}

// Summary is a call with everything about it.
func (q *Queue) Summary(ctx context.Context, ward, id string) (map[string]string, error) {
	now := q.clk.Now()
	f := bigtable.InterleaveFilters(
		btx.Family(schema.Ticket, btx.Live(now)),
		btx.Family(schema.Claim, btx.Within(now, schema.ClaimTTL)),
		btx.Family(schema.Room),
	)
	row, err := q.cells.Get(ctx, ward+"/"+id, f) // ok ttlread/unfiltered-branch ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return flatten(row), nil
}

// SummaryQuick was there first.
func (q *Queue) SummaryQuick(ctx context.Context, ward, id string) (map[string]string, error) {
	f := bigtable.InterleaveFilters( // want ttlread/unfiltered-branch[quick]
		btx.Family(schema.Ticket, btx.Live(q.clk.Now())),
		btx.Family("claim|room"), // want ttlread/unfiltered-branch[quick]
	)
	row, err := q.cells.Get(ctx, ward+"/"+id, f) // want ttlread/unfiltered-branch[quick]
	if err != nil {
		return nil, err
	}
	return flatten(row), nil
}

func flatten(row bigtable.Row) map[string]string {
	out := make(map[string]string)
	for _, items := range row {
		for _, it := range items {
			if _, ok := out[it.Column]; !ok {
				out[it.Column] = string(it.Value)
			}
		}
	}
	return out
}

// Since says how long a call has been open.
func (q *Queue) Since(ctx context.Context, ward, id string) (time.Duration, error) {
	row, err := q.cells.Get(ctx, ward+"/"+id, btx.Family(schema.Ticket, btx.Live(q.clk.Now())))
	if err != nil {
		return 0, err
	}
	it, _ := btx.Cell(row, schema.Ticket, "kind")
	return time.Since(it.Timestamp.Time()), nil // want ttlage/not-write-time
}

// SinceOpened asks the room, where times are real.
func (q *Queue) SinceOpened(ctx context.Context, ward, id string) (time.Duration, error) {
	row, err := q.cells.Get(ctx, ward+"/"+id, btx.Family(schema.Room))
	if err != nil {
		return 0, err
	}
	it, _ := btx.Cell(row, schema.Room, "opened")
	return time.Since(it.Timestamp.Time()), nil // ok ttlage/not-write-time
}

// Export is a call for the archive.
func (q *Queue) Export(ctx context.Context, ward, id string) ([]byte, error) {
	row, err := q.cells.Get(ctx, ward+"/"+id, btx.Family(schema.Ticket, btx.Live(q.clk.Now()), bigtable.LatestNFilter(1))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	t, err := decode(id, row)
	if err != nil {
		return nil, err
	}
	for _, it := range row[schema.Ticket] {
		if ts := it.Timestamp.Time(); ts.After(t.Updated) {
			t.Updated = ts // want ttlage/not-write-time
		}
	}
	return json.Marshal(t)
}

// Board is the calls of a ward in memory, refreshed now and then.
type Board struct {
	q     *Queue
	tbl   btx.Table
	mu    sync.RWMutex
	open  map[string]Ticket
	since time.Time
}

// NewBoard returns an empty board.
func NewBoard(q *Queue, tbl btx.Table) *Board {
	return &Board{q: q, tbl: tbl, open: make(map[string]Ticket)}
}

// started is when this process came up.
var started = time.Now() // want ttlread/stale-bound[all]

// Refresh reads the calls of a ward.
func (b *Board) Refresh(ctx context.Context, ward string) error {
	open := make(map[string]Ticket)
	now := b.q.clk.Now()
	err := b.tbl.ReadRows(ctx, bigtable.PrefixRange(ward+"/"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		t, err := decode(row.Key(), row)
		if err == nil {
			open[t.ID] = t
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.Ticket), btx.Live(now))))
	if err != nil {
		return fmt.Errorf("refresh %s: %w", ward, err)
	}
	b.mu.Lock()
	b.open, b.since = open, now
	b.mu.Unlock()
	return nil
}

// RefreshAll reads the calls of all wards.
func (b *Board) RefreshAll(ctx context.Context) error {
	open := make(map[string]Ticket)
	f := btx.Family(schema.Ticket, btx.Live(started))                                    // want ttlread/stale-bound[all]
	err := b.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/stale-bound[all]
		t, err := decode(row.Key(), row)
		if err == nil {
			open[t.ID] = t
		}
		return true
	}, bigtable.RowFilter(f)) // want ttlread/stale-bound[all]
	if err != nil {
		return err
	}
	b.mu.Lock()
	b.open = open
	b.mu.Unlock()
	return nil
}

// First returns one open call of a ward.
func (b *Board) First(ctx context.Context, ward string) (string, error) {
	var key string
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.Ticket), bigtable.CellsPerRowLimitFilter(1), btx.Live(b.q.clk.Now())) // want ttlread/limit-before-filter[first]
	err := b.tbl.ReadRows(ctx, bigtable.PrefixRange(ward+"/"), func(row bigtable.Row) bool {                                      // want ttlread/limit-before-filter[first]
		key = string(row[schema.Ticket][0].Value)
		return false
	}, bigtable.RowFilter(f), bigtable.LimitRows(1)) // want ttlread/limit-before-filter[first]
	return key, err
}

// Last is First in the other direction, with the limit where it belongs.
func (b *Board) Last(ctx context.Context, ward string) (string, error) {
	var key string
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.Ticket), btx.Live(b.q.clk.Now()), bigtable.CellsPerRowLimitFilter(1))
	err := b.tbl.ReadRows(ctx, bigtable.PrefixRange(ward+"/"), func(row bigtable.Row) bool { // ok ttlread/limit-before-filter
		key = string(row[schema.Ticket][0].Value)
		return true
	}, bigtable.RowFilter(f), bigtable.ReverseScan(), bigtable.LimitRows(1))
	return key, err
}

// Count counts the rows of a ward.
func (b *Board) Count(ctx context.Context, ward string) (n int, err error) {
	err = b.tbl.ReadRows(ctx, bigtable.PrefixRange(ward+"/"), func(bigtable.Row) bool { // ok ttlread/missing-filter
		n++
		return true
	}, bigtable.RowFilter(bigtable.StripValueFilter()))
	return n, err
}

// Texts returns what was said in a ward's calls.
func (b *Board) Texts(ctx context.Context, ward string) ([]string, error) {
	var out []string
	err := b.tbl.ReadRows(ctx, bigtable.PrefixRange(ward+"/"), func(row bigtable.Row) bool { // want ttlread/overridden-filter[texts]
		for _, it := range row[schema.Ticket] {
			out = append(out, string(it.Value))
		}
		return true
	}, bigtable.RowFilter(bigtable.ColumnFilter("text")), bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.Ticket), btx.Live(b.q.clk.Now())))) // want ttlread/overridden-filter[texts]
	return out, err
}

// Rooms returns the rooms with calls, open or not.
func (b *Board) Rooms(ctx context.Context, ward string) ([]string, error) {
	var out []string
	err := b.tbl.ReadRows(ctx, bigtable.PrefixRange(ward+"/"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		out = append(out, btx.Value(row, schema.Room, "opened"))
		return true
	})
	return out, err
}

// Between returns the calls that end in a window.
func (b *Board) Between(ctx context.Context, ward string) ([]Ticket, error) {
	now := b.q.clk.Now()
	var out []Ticket
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.Ticket), bigtable.TimestampRangeFilter(now, now.Add(24*time.Hour))) // want ttlread/upper-bound[between]
	err := b.tbl.ReadRows(ctx, bigtable.PrefixRange(ward+"/"), func(row bigtable.Row) bool {                                    // want ttlread/upper-bound[between]
		if t, err := decode(row.Key(), row); err == nil {
			out = append(out, t)
		}
		return true
	}, bigtable.RowFilter(f)) // want ttlread/upper-bound[between]
	return out, err
}

// Claims returns who works on a ward's calls.
func (b *Board) Claims(ctx context.Context, ward string, running bool) (map[string]string, error) {
	out := make(map[string]string)
	now := b.q.clk.Now()
	f := btx.Family(schema.Claim, btx.Within(now, schema.ClaimTTL))
	if running {
		f = btx.Family(schema.Claim, bigtable.TimestampRangeFilter(now.Add(-schema.ClaimTTL), time.Time{}), bigtable.LatestNFilter(1))
	}
	err := b.tbl.ReadRows(ctx, bigtable.PrefixRange(ward+"/"), func(row bigtable.Row) bool { // ok ttlread/wrong-bound
		out[row.Key()] = btx.Value(row, schema.Claim, "nurse")
		return true
	}, bigtable.RowFilter(f))
	return out, err
}

// Lapsed returns the claims that ended.
func (b *Board) Lapsed(ctx context.Context, ward string) (map[string]string, error) {
	out := make(map[string]string)
	now := b.q.clk.Now()
	f := btx.Family(schema.Claim, bigtable.TimestampRangeFilter(time.Time{}, now.Add(-schema.ClaimTTL))) // want ttlread/expired-only[lapsed]
	err := b.tbl.ReadRows(ctx, bigtable.PrefixRange(ward+"/"), func(row bigtable.Row) bool {             // want ttlread/expired-only[lapsed]
		out[row.Key()] = btx.Value(row, schema.Claim, "nurse")
		return true
	}, bigtable.RowFilter(f)) // want ttlread/expired-only[lapsed]
	return out, err
}

// Window returns the claims that were made until now.
func (b *Board) Window(ctx context.Context, ward string) (map[string]string, error) {
	out := make(map[string]string)
	now := b.q.clk.Now()
	f := btx.Family(schema.Claim, bigtable.TimestampRangeFilter(now.Add(-schema.ClaimTTL), now)) // want ttlread/upper-bound[window]
	err := b.tbl.ReadRows(ctx, bigtable.PrefixRange(ward+"/"), func(row bigtable.Row) bool {     // want ttlread/upper-bound[window]
		out[row.Key()] = btx.Value(row, schema.Claim, "nurse")
		return true
	}, bigtable.RowFilter(f)) // want ttlread/upper-bound[window]
	return out, err
}

// Uptime says how long this process runs.
func Uptime() time.Duration { return time.Since(started) } // ok ttlage/not-write-time
