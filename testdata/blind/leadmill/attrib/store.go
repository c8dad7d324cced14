// Package attrib attributes conversions to clicks.
//
// It is the first package of the "after the monolith" time: no globals, no flags, one type per file. Mostly.
package attrib

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"
)

const (
	eventFamily = "ev"
	dedupFamily = "dedup"
)

// EventTTL is how long a click counts, unless the advertiser has booked another window.
const EventTTL = 14 * 24 * time.Hour

// Clock tells the time.
type Clock func() time.Time

// Event is a click or a view.
type Event struct {
	Visitor   string    `json:"visitor"`
	Campaign  string    `json:"campaign"`
	Creative  string    `json:"creative,omitempty"`
	Kind      Kind      `json:"kind"`
	At        time.Time `json:"at"`
	Window    time.Duration
	WrittenAt time.Time `json:"-"`
}

// Kind of an event.
type Kind string

// Kinds.
const (
	Click Kind = "click"
	View  Kind = "view"
	Lead  Kind = "lead"
)

// ErrDuplicate is returned for an event that was recorded already.
var ErrDuplicate = errors.New("attrib: duplicate event")

// Store is a tenant's click table.
type Store struct {
	clicks *bigtable.Table
	clock  Clock
	window time.Duration
}

// Option changes a Store.
type Option func(*Store)

// WithClock is for tests.
func WithClock(c Clock) Option { return func(s *Store) { s.clock = c } }

// WithWindow sets the advertiser's window.
func WithWindow(d time.Duration) Option { return func(s *Store) { s.window = d } }

// Open opens a tenant's table.
func Open(c *bigtable.Client, tenant string, opts ...Option) *Store {
	s := &Store{clicks: c.Open(tenant + "-clicks"), clock: time.Now, window: EventTTL}
	for _, o := range opts {
		o(s)
	}
	return s
}

// shifted is the timestamp with which a cell of the event family lives for d.
func (s *Store) shifted(d time.Duration) bigtable.Timestamp {
	return bigtable.Time(s.clock().Add(d - EventTTL))
}

// until is the timestamp with which a cell of the dedup family lives for d.
func (s *Store) until(d time.Duration) bigtable.Timestamp {
	return bigtable.Time(s.clock().Add(d))
}

func (s *Store) liveEvents() bigtable.Filter {
	return bigtable.ChainFilters(
		bigtable.FamilyFilter(eventFamily),
		bigtable.TimestampRangeFilter(s.clock().Add(-EventTTL), time.Time{}),
	)
}

func (s *Store) liveDedup() bigtable.Filter {
	return bigtable.ChainFilters(
		bigtable.FamilyFilter(dedupFamily),
		bigtable.TimestampRangeFilter(s.clock(), time.Time{}),
	)
}

// Record writes an event once.
func (s *Store) Record(ctx context.Context, e Event) error {
	value, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("attrib: encode: %w", err)
	}
	id := string(e.Kind) + ":" + e.Campaign
	m := bigtable.NewMutation()
	if e.Window > 0 {
		m.Set(eventFamily, id, s.shifted(e.Window), value) // ok ttlwrite/already-expired
	} else {
		m.Set(eventFamily, id, bigtable.Time(s.clock()), value) // ok ttlwrite/write-time
	}
	m.DeleteCellsInColumn(dedupFamily, id)
	m.Set(dedupFamily, id, s.until(time.Hour), []byte{1}) // ok ttlwrite/write-time

	var seen bool
	pred := bigtable.ChainFilters(s.liveDedup(), bigtable.ColumnFilter(id))
	cond := bigtable.NewCondMutation(pred, nil, m) // ok ttlread/conditional-mutation
	if err := s.clicks.Apply(ctx, e.Visitor, cond, bigtable.GetCondMutationResult(&seen)); err != nil {
		return fmt.Errorf("attrib: record: %w", err)
	}
	if seen {
		return ErrDuplicate
	}
	return nil
}

// RecordFast does without the look; the rollup removes doubles.
func (s *Store) RecordFast(ctx context.Context, events []Event) error {
	keys := make([]string, len(events))
	muts := make([]*bigtable.Mutation, len(events))
	for i, e := range events {
		value, err := json.Marshal(e)
		if err != nil {
			return err
		}
		id := string(e.Kind) + ":" + e.Campaign
		m := bigtable.NewMutation()
		m.Set(eventFamily, id, bigtable.ServerTime, value)     // ok ttlwrite/server-timestamp
		m.Set(dedupFamily, id, bigtable.ServerTime, []byte{1}) // want ttlwrite/server-timestamp
		keys[i], muts[i] = e.Visitor, m
	}
	errs, err := s.clicks.ApplyBulk(ctx, keys, muts)
	return errors.Join(append(errs, err)...)
}

// Backfill writes events of a log, at their own time.
func (s *Store) Backfill(ctx context.Context, e Event) error {
	value, err := json.Marshal(e)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(eventFamily, "bf:"+e.Campaign, bigtable.Time(e.At), value)                          // ok ttlwrite/already-expired
	m.Set(dedupFamily, "bf:"+e.Campaign, bigtable.Time(s.clock().Add(-time.Hour)), []byte{1}) // want ttlwrite/already-expired
	return s.clicks.Apply(ctx, e.Visitor, m)
}

// Events reads the live events of a visitor.
func (s *Store) Events(ctx context.Context, visitor string) ([]Event, error) {
	row, err := s.clicks.ReadRow(ctx, visitor, bigtable.RowFilter(s.liveEvents())) // ok ttlread/missing-filter
	if err != nil {
		return nil, fmt.Errorf("attrib: events: %w", err)
	}
	return collect(row[eventFamily], decodeEvent) // want ttlage/not-write-time[dec]
}

// EventsWithin reads the events of the advertiser's window, which may be shorter than what is kept.
func (s *Store) EventsWithin(ctx context.Context, visitor string) ([]Event, error) {
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter(eventFamily),
		bigtable.TimestampRangeFilter(s.clock().Add(-7*24*time.Hour), time.Time{}), // want ttlread/wrong-bound[ew]
	)
	row, err := s.clicks.ReadRow(ctx, visitor, bigtable.RowFilter(f)) // want ttlread/wrong-bound[ew]
	if err != nil {
		return nil, err
	}
	return collect(row[eventFamily], decodeEvent) // want ttlage/not-write-time[dec]
}

// Seen reports whether an event was recorded within the hour.
func (s *Store) Seen(ctx context.Context, visitor, id string) (bool, error) {
	row, err := s.clicks.ReadRow(ctx, visitor, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(dedupFamily), bigtable.ColumnFilter(id)))) // want ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return len(row[dedupFamily]) > 0, nil
}

// SeenLive is Seen for those who need it exact.
func (s *Store) SeenLive(ctx context.Context, visitor, id string) (bool, error) {
	row, err := s.clicks.ReadRow(ctx, visitor, bigtable.RowFilter(bigtable.ChainFilters(s.liveDedup(), bigtable.ColumnFilter(id)))) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return len(row[dedupFamily]) > 0, nil
}

// Each calls f for the events of all visitors under a prefix.
func (s *Store) Each(ctx context.Context, prefix string, f func(Event) error) error {
	var inner error
	err := s.clicks.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		events, err := collect(r[eventFamily], decodeEvent) // want ttlage/not-write-time[dec]
		if err != nil {
			inner = err
			return false
		}
		for _, e := range events {
			if inner = f(e); inner != nil {
				return false
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(s.liveEvents(), bigtable.LatestNFilter(1))))
	return errors.Join(err, inner)
}

// collect decodes the newest cell of every column.
func collect[T any](items []bigtable.ReadItem, dec func(bigtable.ReadItem) (T, error)) ([]T, error) {
	out := make([]T, 0, len(items))
	last := ""
	for _, it := range items {
		if it.Column == last {
			continue
		}
		last = it.Column
		v, err := dec(it)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return slices.Clip(out), nil
}

func decodeEvent(it bigtable.ReadItem) (Event, error) {
	var e Event
	if err := json.Unmarshal(it.Value, &e); err != nil {
		return e, fmt.Errorf("attrib: %s: %w", it.Column, err)
	}
	e.WrittenAt = it.Timestamp.Time() // want ttlage/not-write-time[dec]
	e.Campaign = strings.TrimPrefix(e.Campaign, "v1/")
	return e, nil
}
