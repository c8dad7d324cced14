// Package audit keeps who did what. All its families are ordinary; events go
// after ninety days.
package audit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"wallet.example/platform/internal/btx"
	"wallet.example/platform/internal/clock"
	"wallet.example/platform/internal/config"
	"wallet.example/platform/internal/schema"
)

// Event is something that somebody did.
type Event struct {
	Who       string
	What      string
	When      time.Time
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Params is what New needs.
type Params struct {
	Conn   *btx.Conn
	Clock  clock.Clock
	Tables config.Tables
}

// Result is what New provides.
type Result struct {
	Store *Store
}

// New provides the store.
func New(p Params) (Result, error) {
	if p.Tables.Audit == "" {
		return Result{}, errors.New("audit: no table")
	}
	return Result{Store: &Store{tbl: p.Conn.Table(schema.Table(p.Tables.Audit)), clock: p.Clock}}, nil
}

// Store keeps events in Bigtable.
type Store struct {
	tbl   btx.Table
	clock clock.Clock
}

// Log writes an event.
func (s *Store) Log(ctx context.Context, who, what string) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamilyEvent.String(), who, bigtable.Now(), []byte(what))                    // ok ttlwrite/write-time
	mut.Set(schema.FamilyState.String(), "last", bigtable.Now(), []byte(what))                 // ok ttlwrite/clock-in-sequence
	mut.Set(schema.FamilyState.String(), "last_by", bigtable.Time(s.clock.Now()), []byte(who)) // ok ttlwrite/clock-in-sequence
	return s.tbl.Apply(ctx, who, mut)
}

// LogAt writes an event that happened earlier; the frontend sends seconds.
func (s *Store) LogAt(ctx context.Context, e Event) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamilyEvent.String(), e.Who, bigtable.Timestamp(e.When.Unix()), []byte(e.What))            // want ttlunit/wrong-unit
	mut.Set(schema.FamilyEvent.String(), e.Who+"_us", bigtable.Timestamp(e.When.UnixMicro()), []byte(e.What)) // ok ttlunit/wrong-unit
	return s.tbl.Apply(ctx, e.Who, mut)
}

// LogMilli writes an event of the browser, which sends milliseconds.
func (s *Store) LogMilli(ctx context.Context, who, what string, ms int64) error {
	when := time.UnixMilli(ms)
	mut := bigtable.NewMutation()
	mut.Set(schema.FamilyEvent.String(), who, bigtable.Timestamp(when.UnixMilli()), []byte(what))           // want ttlunit/wrong-unit
	mut.Set(schema.FamilyEvent.String(), who+"_b", bigtable.Timestamp(when.UnixMilli()*1000), []byte(what)) // ok ttlunit/wrong-unit
	return s.tbl.Apply(ctx, who, mut)
}

// LogNano writes an event of the kernel, which counts nanoseconds.
func (s *Store) LogNano(ctx context.Context, who, what string, when time.Time) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamilyEvent.String(), who, bigtable.Timestamp(when.UnixNano()), []byte(what))           // want ttlunit/wrong-unit
	mut.Set(schema.FamilyEvent.String(), who+"_k", bigtable.Timestamp(when.UnixNano()/1000), []byte(what)) // ok ttlunit/wrong-unit
	return s.tbl.Apply(ctx, who, mut)
}

// Schedule writes an event that is to come.
func (s *Store) Schedule(ctx context.Context, who, what string, in time.Duration) error {
	at := btx.Stamp(s.clock) + bigtable.Timestamp(in) // want ttlunit/wrong-unit
	mut := bigtable.NewMutation()
	mut.Set(schema.FamilyEvent.String(), who, at, []byte(what))
	mut.Set(schema.FamilyEvent.String(), who+"_ok", btx.Stamp(s.clock)+bigtable.Timestamp(in.Microseconds()), []byte(what)) // ok ttlunit/wrong-unit
	return s.tbl.Apply(ctx, who, mut)
}

// Defer writes an event that is to come in a minute.
func (s *Store) Defer(ctx context.Context, who, what string) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamilyEvent.String(), who, bigtable.Now()+bigtable.Timestamp(time.Minute), []byte(what))                        // want ttlunit/wrong-unit
	mut.Set(schema.FamilyEvent.String(), who+"_ok", bigtable.Now()+bigtable.Timestamp(time.Minute/time.Microsecond), []byte(what)) // ok ttlunit/wrong-unit
	return s.tbl.Apply(ctx, who, mut)
}

// Between returns what somebody did in a span of time.
func (s *Store) Between(ctx context.Context, who string, from, to time.Time) ([]Event, error) {
	row, err := s.tbl.ReadRow(ctx, who, bigtable.RowFilter(btx.Only(schema.FamilyEvent, bigtable.TimestampRangeFilter(from, to)))) // ok ttlread/upper-bound
	if err != nil {
		return nil, err
	}
	return events(row), nil
}

func events(row bigtable.Row) []Event {
	var out []Event
	for _, item := range row[schema.FamilyEvent.String()] {
		out = append(out, Event{
			Who:       row.Key(),
			What:      string(item.Value),
			CreatedAt: item.Timestamp.Time(), // ok ttlage/not-write-time
			UpdatedAt: item.Timestamp.Time(), // ok ttlage/not-write-time
		})
	}
	return out
}

// BetweenSeconds is Between for the old API.
func (s *Store) BetweenSeconds(ctx context.Context, who string, from, to time.Time) ([]Event, error) {
	row, err := s.tbl.ReadRow(ctx, who, bigtable.RowFilter(btx.Only(schema.FamilyEvent, bigtable.TimestampRangeFilterMicros(
		bigtable.Timestamp(from.Unix()),       // want ttlunit/wrong-unit
		bigtable.Timestamp(to.Unix()*1000000), // ok ttlunit/wrong-unit
	))))
	if err != nil {
		return nil, err
	}
	return events(row), nil
}

// All returns everything that somebody did.
func (s *Store) All(ctx context.Context, who string) ([]Event, error) {
	row, err := s.tbl.ReadRow(ctx, who, bigtable.RowFilter(btx.Only(schema.FamilyEvent))) // strict ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return events(row), nil
}

// State returns the state of somebody; it is not a sequence here.
func (s *Store) State(ctx context.Context, who string) (map[string]string, time.Duration, error) {
	row, err := s.tbl.ReadRow(ctx, who, bigtable.RowFilter(btx.Only(schema.FamilyState, bigtable.LatestNFilter(5)))) // ok ttlread/version-limit
	if err != nil {
		return nil, 0, err
	}
	out := make(map[string]string)
	var age time.Duration
	for _, item := range row[schema.FamilyState.String()] {
		out[item.Column] = string(item.Value)
		age = s.clock.Now().Sub(item.Timestamp.Time()) // ok ttlage/not-write-time
	}
	return out, age, nil
}

// StateSince returns what changed since t.
func (s *Store) StateSince(ctx context.Context, who string, t time.Time) (int, error) {
	row, err := s.tbl.ReadRow(ctx, who, bigtable.RowFilter(btx.Only(schema.FamilyState, bigtable.LatestNFilter(1), bigtable.TimestampRangeFilter(t, time.Time{})))) // ok ttlread/wrong-bound
	if err != nil {
		return 0, err
	}
	return len(row[schema.FamilyState.String()]), nil
}

// Bump counts events beside the state.
func (s *Store) Bump(ctx context.Context, who string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamilyState.String(), "n", 1) // ok ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, who, rmw)
	return err
}

// Redact empties what somebody did, but for a note that it has been done.
func (s *Store) Redact(ctx context.Context, who string) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamilyEvent.String(), "redacted", bigtable.Now(), nil)
	mut.DeleteCellsInFamily(schema.FamilyEvent.String()) // want ttlwrite/delete-after-set
	return s.tbl.Apply(ctx, who, mut)
}

// Migrate writes events of before there was a clock.
func (s *Store) Migrate(ctx context.Context, who string) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamilyEvent.String(), "epoch", bigtable.Time(time.Time{}), nil)                                   // want ttlunit/out-of-range
	mut.Set(schema.FamilyEvent.String(), "start", bigtable.Time(time.Unix(0, 0)), nil)                               // ok ttlunit/out-of-range
	mut.Set(schema.FamilyEvent.String(), "never", bigtable.Time(time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)), nil) // want ttlunit/out-of-range
	return s.tbl.Apply(ctx, who, mut)
}

// Trim deletes everything up to now that somebody did.
func (s *Store) Trim(ctx context.Context, who string) error {
	mut := bigtable.NewMutation()
	mut.DeleteTimestampRange(schema.FamilyEvent.String(), who, 0, bigtable.Now()) // ok ttlunit/sub-millisecond
	mut.DeleteTimestampRange(schema.FamilyEvent.String(), who+"_us", 0, 999)      // want ttlunit/sub-millisecond
	return s.tbl.Apply(ctx, who, mut)
}

// Count counts in an aggregate family.
func (s *Store) Count(ctx context.Context, who string, n int64) error {
	hour := bigtable.Time(s.clock.Now().Truncate(time.Hour))
	mut := bigtable.NewMutation()
	mut.AddIntToCell("counts", "hourly", hour, n)              // ok ttlwrite/aggregate-server-time
	mut.AddIntToCell("counts", "total", 0, n)                  // ok ttlwrite/aggregate-server-time
	mut.AddIntToCell("counts", "live", bigtable.ServerTime, n) // want ttlwrite/aggregate-server-time
	return s.tbl.Apply(ctx, who, mut)
}

// Sketch merges a HyperLogLog sketch.
func (s *Store) Sketch(ctx context.Context, who string, sketch []byte) error {
	mut := bigtable.NewMutation()
	mut.MergeBytesToCell("counts", "users", bigtable.ServerTime, sketch) // want ttlwrite/aggregate-server-time
	return s.tbl.Apply(ctx, who, mut)
}

// Doc returns an event as JSON.
func (s *Store) Doc(ctx context.Context, who string) ([]byte, error) {
	evs, err := s.Between(ctx, who, s.clock.Now().AddDate(0, 0, -90), time.Time{}) // ok ttlread/missing-filter
	if err != nil {
		return nil, fmt.Errorf("events of %q: %w", who, err)
	}
	return json.Marshal(evs)
}

// Page returns what the admin page asks for.
func (s *Store) Page(ctx context.Context, who string, since time.Time) ([]Event, error) {
	filter := bigtable.ChainFilters(
		bigtable.FamilyFilter(schema.FamilyEvent.String()),
		bigtable.LatestNFilter(0), // want ttlunit/invalid-filter
	)
	if !since.IsZero() {
		filter = bigtable.ChainFilters(btx.Only(schema.FamilyEvent, bigtable.TimestampRangeFilter(since, time.Time{}))) // want ttlunit/invalid-filter
	}
	row, err := s.tbl.ReadRow(ctx, who, bigtable.RowFilter(filter))
	if err != nil {
		return nil, err
	}
	return events(row), nil
}

// Quarter returns the events of the first quarter that the service ran.
func (s *Store) Quarter(ctx context.Context, who string) ([]Event, error) {
	start := time.Date(2024, time.April, 1, 0, 0, 0, 0, time.UTC)
	end := time.Date(2024, time.January, 1, 0, 0, 0, 0, time.UTC)
	row, err := s.tbl.ReadRow(ctx, who, bigtable.RowFilter(btx.Only(schema.FamilyEvent, bigtable.TimestampRangeFilter(start, end)))) // want ttlunit/empty-range
	if err != nil {
		return nil, err
	}
	return events(row), nil
}

// Year returns the events of the first year that the service ran.
func (s *Store) Year(ctx context.Context, who string) ([]Event, error) {
	start := time.Date(2024, time.January, 1, 0, 0, 0, 0, time.UTC)
	row, err := s.tbl.ReadRow(ctx, who, bigtable.RowFilter(btx.Only(schema.FamilyEvent, bigtable.TimestampRangeFilter(start, start.AddDate(1, 0, 0))))) // ok ttlunit/empty-range // strict ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return events(row), nil
}
