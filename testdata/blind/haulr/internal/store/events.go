package store

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"haulr.dev/backend/internal/tables"
	"haulr.dev/backend/pkg/bigtablex"
)

// Event is what the analysts get.
type Event struct {
	Kind string
	User string
	At   time.Time
	Body []byte
}

// EventStore keeps product events with their real timestamps.
type EventStore struct {
	tbl *bigtable.Table
}

// NewEventStore opens the table.
func NewEventStore(client *bigtable.Client) *EventStore {
	return &EventStore{tbl: client.Open(tables.Events)}
}

// Emit stores an event. The family is called msg here, too, but its cells
// carry the clock.
func (s *EventStore) Emit(ctx context.Context, e Event) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamMessage, e.Kind, bigtable.Time(e.At), e.Body)        // ok ttlwrite/clock-in-sequence
	mut.Set(tables.FamMessage, "any", bigtable.ServerTime, []byte(e.Kind)) // ok ttlwrite/clock-in-sequence
	return s.tbl.Apply(ctx, key(e.User, e.At.UTC().Format("20060102")), mut)
}

// EmitNow stores an event that happens now.
func (s *EventStore) EmitNow(ctx context.Context, user, kind string) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamMessage, kind, bigtable.Now(), nil) // ok ttlwrite/clock-in-sequence
	return s.tbl.Apply(ctx, key(user, time.Now().UTC().Format("20060102")), mut)
}

// EmitSeconds stores an event of the old mobile client.
func (s *EventStore) EmitSeconds(ctx context.Context, user, kind string, at time.Time) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamMessage, kind, bigtable.Timestamp(at.Unix()), nil) // want ttlunit/wrong-unit
	return s.tbl.Apply(ctx, key(user, at.UTC().Format("20060102")), mut)
}

// EmitMicros stores one of the new mobile client.
func (s *EventStore) EmitMicros(ctx context.Context, user, kind string, at time.Time) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamMessage, kind, bigtable.Timestamp(at.UnixMicro()), nil) // ok ttlunit/wrong-unit
	mut.Set(tables.FamMessage, "src", bigtable.Timestamp(at.Unix()*1e6), nil) // ok ttlunit/wrong-unit
	return s.tbl.Apply(ctx, key(user, at.UTC().Format("20060102")), mut)
}

// EmitNanos stores one of the driver app.
func (s *EventStore) EmitNanos(ctx context.Context, user, kind string, at time.Time) error {
	ts := bigtable.Timestamp(at.UnixNano()) // want ttlunit/wrong-unit[emn]
	mut := bigtable.NewMutation()
	mut.Set(tables.FamMessage, kind, ts, nil) // want ttlunit/wrong-unit[emn]
	return s.tbl.Apply(ctx, key(user, at.UTC().Format("20060102")), mut)
}

// Count adds to an aggregate.
func (s *EventStore) Count(ctx context.Context, user, kind string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(tables.FamAggregate, kind, 1) // ok ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, key("agg", user), rmw)
	return err
}

// Between returns the events of a window, a query and no garbage collection.
func (s *EventStore) Between(ctx context.Context, user string, from, to time.Time) ([]Event, error) {
	var out []Event
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(user+"#"), func(row bigtable.Row) bool { // ok ttlread/wrong-bound
		for _, it := range row[tables.FamMessage] {
			out = append(out, Event{Kind: column(it), User: user, At: it.Timestamp.Time(), Body: it.Value}) // ok ttlage/not-write-time
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(tables.FamMessage), bigtable.TimestampRangeFilter(from, to)))) // ok ttlread/upper-bound
	return out, err
}

// Year2020 returns the events of the pilot.
func (s *EventStore) Year2020(ctx context.Context, user string) (int, error) {
	n := 0
	from, to := time.Date(2021, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(user+"#"), func(row bigtable.Row) bool { // want ttlunit/empty-range[y20]
		n += len(row[tables.FamMessage])
		return true
	}, bigtable.RowFilter(bigtable.TimestampRangeFilter(from, to))) // want ttlunit/empty-range[y20]
	return n, err
}

// Newest returns the newest event of a user.
func (s *EventStore) Newest(ctx context.Context, user string) (Event, error) {
	var e Event
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(user+"#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row[tables.FamMessage] {
			if at := it.Timestamp.Time(); at.After(e.At) {
				e = Event{Kind: column(it), User: user, At: at, Body: it.Value}
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.LatestNFilter(1)))
	return e, err
}

// Age says how long the newest event is past.
func (s *EventStore) Age(ctx context.Context, user string) (string, error) {
	row, err := s.tbl.ReadRow(ctx, user, bigtable.RowFilter(bigtable.LatestNFilter(1)))
	if err != nil {
		return "", err
	}
	for _, it := range row[tables.FamMessage] {
		return fmt.Sprint(time.Since(it.Timestamp.Time())), nil // ok ttlage/not-write-time
	}
	return "", ErrNotFound
}

// Both reads two families and means both filters.
func (s *EventStore) Both(ctx context.Context, user string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, user, bigtable.RowFilter(bigtable.FamilyFilter(tables.FamMessage)), bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/overridden-filter
}

// Forget deletes the events of a user before t.
func (s *EventStore) Forget(ctx context.Context, user, kind string, t time.Time) error {
	mut := bigtable.NewMutation()
	mut.DeleteTimestampRange(tables.FamMessage, kind, 0, bigtable.Time(t)) // ok ttlunit/sub-millisecond
	return s.tbl.Apply(ctx, user, mut)
}

// ForgetEpoch deletes the cells that the old client wrote at 1970.
func (s *EventStore) ForgetEpoch(ctx context.Context, user, kind string) error {
	mut := bigtable.NewMutation()
	mut.DeleteTimestampRange(tables.FamMessage, kind, 0, 1) // want ttlunit/sub-millisecond
	return s.tbl.Apply(ctx, user, mut)
}

// ForgetEpochMillis does it right.
func (s *EventStore) ForgetEpochMillis(ctx context.Context, user, kind string) error {
	mut := bigtable.NewMutation()
	mut.DeleteTimestampRange(tables.FamMessage, kind, 0, 1000) // ok ttlunit/sub-millisecond
	return s.tbl.Apply(ctx, user, mut)
}

// AuditStore writes into the compliance team's table. Its family tok is a
// token of theirs, not the one of our sessions.
type AuditStore struct {
	tbl *bigtable.Table
}

// NewAuditStore opens the table.
func NewAuditStore(client *bigtable.Client) *AuditStore {
	return &AuditStore{tbl: client.Open(tables.AuditLog)}
}

// Log stores an entry.
func (a *AuditStore) Log(ctx context.Context, actor, action string) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamToken, "actor", bigtable.Now(), []byte(actor))        // ok ttlwrite/write-time
	mut.Set(tables.FamToken, "action", bigtable.ServerTime, []byte(action)) // ok ttlwrite/server-timestamp
	mut.Set(tables.FamMessage, "action", bigtable.Now(), []byte(action))    // ok ttlwrite/clock-in-sequence
	return a.tbl.Apply(ctx, key(actor, time.Now().UTC().Format(time.RFC3339Nano)), mut)
}

// Count counts.
func (a *AuditStore) Count(ctx context.Context, actor string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(tables.FamToken, "n", 1) // ok ttlwrite/read-modify-write
	_, err := a.tbl.ApplyReadModifyWrite(ctx, actor, rmw)
	return err
}

// Entries reads.
func (a *AuditStore) Entries(ctx context.Context, actor string) ([]string, error) {
	var out []string
	err := a.tbl.ReadRows(ctx, bigtable.PrefixRange(actor+"#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row[tables.FamToken] {
			created := it.Timestamp.Time() // ok ttlage/not-write-time
			out = append(out, created.Format(time.RFC3339)+" "+string(it.Value))
		}
		return true
	})
	return out, err
}

// HasServerTime says whether the entry's time came from the server.
func (a *AuditStore) HasServerTime(it bigtable.ReadItem) bool {
	return it.Timestamp == bigtable.ServerTime // want ttlage/server-sentinel
}

var _ = bigtablex.ErrNotFound
