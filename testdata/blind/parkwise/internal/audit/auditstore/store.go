// Package auditstore keeps audit events; they are ordinary cells, collected after ninety days.
package auditstore

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/parkwise/parkwise/internal/audit"
	"github.com/parkwise/parkwise/internal/bt"
	"github.com/parkwise/parkwise/internal/clock"
	"github.com/parkwise/parkwise/internal/tenant"
)

const colEvent = "e"

var _ audit.Store = (*Store)(nil)

// Store keeps events.
type Store struct{ tbl bt.Table }

// New opens the store.
func New(client *bigtable.Client) *Store { return &Store{tbl: client.Open(bt.TableAudit)} }

func eventKey(id tenant.ID, e audit.Event) string {
	return tenant.Key(id, fmt.Sprintf("%019d", math.MaxInt64-e.CreatedAt.UnixNano()), e.ID)
}

// Append implements audit.Store.
func (s *Store) Append(ctx context.Context, id tenant.ID, e audit.Event) error {
	raw, err := json.Marshal(e)
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set(bt.FamEvent, colEvent, bigtable.Time(e.CreatedAt), raw) // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, eventKey(id, e), mut)
}

// List implements audit.Store.
func (s *Store) List(ctx context.Context, id tenant.ID, cursor string, size int) (bt.Page[audit.Event], error) {
	return bt.List(ctx, s.tbl, tenant.Key(id, ""), cursor, size, decode, bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/missing-filter
}

func decode(row bigtable.Row) (audit.Event, bool) {
	e, err := bt.DecodeJSON[audit.Event](row, bt.FamEvent, colEvent)
	if err != nil {
		return e, false
	}
	if it, ok := bt.First(row, bt.FamEvent, colEvent); ok && e.CreatedAt.IsZero() {
		e.CreatedAt = it.Timestamp.Time() // ok ttlage/not-write-time
	}
	return e, true
}

// Between reads the events of an interval.
func (s *Store) Between(ctx context.Context, id tenant.ID, from, to time.Time) ([]audit.Event, error) {
	var out []audit.Event
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(tenant.Key(id, "")), func(row bigtable.Row) bool { // ok ttlread/upper-bound
		if e, ok := decode(row); ok {
			out = append(out, e)
		}
		return true
	}, bigtable.RowFilter(bigtable.TimestampRangeFilter(from, to)))
	return out, err
}

// FirstMillis reads what was imported with the epoch as its time.
func (s *Store) FirstMillis(ctx context.Context, id tenant.ID) ([]audit.Event, error) {
	var out []audit.Event
	epoch := bigtable.TimestampRangeFilterMicros(0, 999) // want ttlunit/sub-millisecond[first]
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(tenant.Key(id, "")), func(row bigtable.Row) bool {
		if e, ok := decode(row); ok {
			out = append(out, e)
		}
		return true
	}, bigtable.RowFilter(epoch)) // want ttlunit/sub-millisecond[first]
	return out, err
}

// FirstSecond reads what was imported within the first second.
func (s *Store) FirstSecond(ctx context.Context, id tenant.ID) ([]audit.Event, error) {
	var out []audit.Event
	first := bigtable.TimestampRangeFilterMicros(0, 1_000_000) // ok ttlunit/sub-millisecond
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(tenant.Key(id, "")), func(row bigtable.Row) bool {
		if e, ok := decode(row); ok {
			out = append(out, e)
		}
		return true
	}, bigtable.RowFilter(first))
	return out, err
}

// Fix rewrites the time of an event; the sentinel of the old importer is dropped.
func (s *Store) Fix(ctx context.Context, key string) error {
	row, err := s.tbl.ReadRow(ctx, key)
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	for _, it := range row[bt.FamEvent] {
		if it.Timestamp == bigtable.ServerTime { // want ttlage/server-sentinel
			mut.DeleteCellsInColumn(bt.FamEvent, bt.Qualifier(it.Column))
			continue
		}
		if it.Timestamp == 0 { // ok ttlage/server-sentinel
			mut.DeleteTimestampRange(bt.FamEvent, bt.Qualifier(it.Column), 0, 500) // want ttlunit/sub-millisecond
		}
		mut.DeleteTimestampRange(bt.FamEvent, "imported", 0, 1000) // ok ttlunit/sub-millisecond
	}
	mut.Set(bt.FamEvent, "fixed", bigtable.Time(time.Time{}), nil)       // want ttlunit/out-of-range
	mut.Set(bt.FamEvent, "fixed_at", bigtable.Time(clock.Now(ctx)), nil) // ok ttlunit/out-of-range
	mut.Set(bt.FamEvent, "epoch", bigtable.Time(time.Unix(0, 0)), nil)   // ok ttlunit/out-of-range
	mut.Set(bt.FamEvent, "never", bigtable.Timestamp(-2000), nil)        // want ttlunit/out-of-range
	return s.tbl.Apply(ctx, key, mut)
}

// Copy copies the columns of an event under new names, with a value that says so last.
func (s *Store) Copy(ctx context.Context, from, to string) error {
	row, err := s.tbl.ReadRow(ctx, from, bigtable.RowFilter(bigtable.LatestNFilter(1)))
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	for _, it := range row[bt.FamEvent] {
		mut.Set(bt.FamEvent, bt.Qualifier(it.Column), it.Timestamp, it.Value)
	}
	mut.Set(bt.FamEvent, "copied", bigtable.Now(), []byte(from))
	mut.DeleteCellsInFamily(bt.FamEvent) // want ttlwrite/delete-after-set
	return s.tbl.Apply(ctx, to, mut)
}
