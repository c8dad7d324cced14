package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/beacon/internal/clock"
	"example.com/beacon/internal/keys"
	"example.com/beacon/internal/layout"
)

// Event is one thing that somebody did.
type Event struct {
	ID     string            `json:"id"`
	Actor  string            `json:"actor"`
	Action string            `json:"action"`
	Object string            `json:"object"`
	At     time.Time         `json:"at"`
	Attrs  map[string]string `json:"attrs,omitempty"`
	Class  string            `json:"class,omitempty"`
}

// Classes of events that live shorter or longer than the default.
const (
	ClassDebug = "debug"
	ClassLegal = "legal"
)

// AuditStore keeps one tenant's audit log.
type AuditStore struct {
	tbl bigtable.TableAPI
	lay layout.Audit
	now func() time.Time
}

// NewAuditStore returns a store on the tenant's table.
func NewAuditStore(tbl bigtable.TableAPI, lay layout.Audit, now func() time.Time) *AuditStore {
	return &AuditStore{tbl: tbl, lay: lay, now: now}
}

// retained is the oldest timestamp that the log still has.
func (a *AuditStore) retained() time.Time { return a.now().Add(-a.lay.Retention) }

// stamp is the timestamp of an event: debugging output goes after a week, what
// lawyers want stays for a year.
func (a *AuditStore) stamp(class string) bigtable.Timestamp {
	now := a.now()
	switch class {
	case ClassDebug:
		return bigtable.Time(now.Add(7*24*time.Hour - a.lay.Retention))
	case ClassLegal:
		return bigtable.Time(now.Add(365*24*time.Hour - a.lay.Retention))
	}
	return bigtable.Time(now)
}

// Append writes an event.
func (a *AuditStore) Append(ctx context.Context, e Event) error {
	ts := a.stamp(e.Class)
	mut := bigtable.NewMutation()
	mut.Set(a.lay.Event, "action", ts, []byte(e.Action)) // ok ttlwrite/write-time
	mut.Set(a.lay.Event, "object", ts, []byte(e.Object)) // ok ttlwrite/already-expired
	mut.Set(a.lay.Event, "at", ts, []byte(e.At.UTC().Format(time.RFC3339Nano)))
	if len(e.Attrs) > 0 {
		b, err := json.Marshal(e.Attrs)
		if err != nil {
			return err
		}
		mut.Set(a.lay.Event, "attrs", bigtable.ServerTime, b) // ok ttlwrite/server-timestamp
	}
	mut.Set(a.lay.Actor, "last-action", bigtable.Now(), []byte(e.Action)) // ok ttlwrite/write-time
	return a.tbl.Apply(ctx, keys.Event(e.Actor, e.At, e.ID), mut)
}

// AppendAll writes events in bulk.
func (a *AuditStore) AppendAll(ctx context.Context, events []Event) error {
	rows := make([]string, 0, len(events))
	muts := make([]*bigtable.Mutation, 0, len(events))
	for _, e := range events {
		mut := bigtable.NewMutation()
		mut.Set(a.lay.Event, "action", bigtable.Now(), []byte(e.Action)) // ok ttlwrite/write-time
		mut.Set(a.lay.Event, "object", bigtable.Now(), []byte(e.Object)) // ok ttlwrite/write-time
		rows = append(rows, keys.Event(e.Actor, e.At, e.ID))
		muts = append(muts, mut)
	}
	errs, err := a.tbl.ApplyBulk(ctx, rows, muts)
	if err != nil {
		return err
	}
	for i, err := range errs {
		if err != nil {
			return fmt.Errorf("event %s: %w", events[i].ID, err)
		}
	}
	return nil
}

// Import takes over the log of another product. Events are dated as they happened,
// which is why those of more than a quarter ago are gone at once.
func (a *AuditStore) Import(ctx context.Context, e Event) error {
	mut := bigtable.NewMutation()
	mut.Set(a.lay.Event, "action", bigtable.Time(e.At), []byte(e.Action))                      // ok ttlwrite/already-expired
	mut.Set(a.lay.Event, "imported", bigtable.Time(a.now().Add(-180*24*time.Hour)), []byte{1}) // want ttlwrite/already-expired
	mut.Set(a.lay.Event, "recent", bigtable.Time(a.now().Add(-30*24*time.Hour)), []byte{1})    // ok ttlwrite/already-expired
	return a.tbl.Apply(ctx, keys.Event(e.Actor, e.At, e.ID), mut)
}

// Allow lets an auditor read the log for a while.
func (a *AuditStore) Allow(ctx context.Context, auditor string) error {
	mut := bigtable.NewMutation()
	mut.Set(a.lay.Grant, "read", clock.In(a.lay.GrantTTL), []byte(auditor)) // ok ttlwrite/write-time
	mut.Set(a.lay.Grant, "since", clock.Stamp(), []byte(auditor))           // want ttlwrite/write-time
	mut.Set(a.lay.Actor, "since", clock.Stamp(), []byte(auditor))           // ok ttlwrite/write-time
	return a.tbl.Apply(ctx, "grant#"+auditor, mut)
}

// AllowUntil lets an auditor read the log until a deadline.
func (a *AuditStore) AllowUntil(ctx context.Context, auditor string, until time.Time) error {
	if until.IsZero() {
		until = a.now().Add(a.lay.GrantTTL)
	}
	mut := bigtable.NewMutation()
	mut.Set(a.lay.Grant, "read", bigtable.Time(until), []byte(auditor)) // ok ttlwrite/already-expired
	return a.tbl.Apply(ctx, "grant#"+auditor, mut)
}

// AllowOnce is Allow for a single download.
func (a *AuditStore) AllowOnce(ctx context.Context, auditor string) error {
	var until time.Time
	mut := bigtable.NewMutation()
	mut.Set(a.lay.Grant, "once", bigtable.Timestamp(0), []byte(auditor)) // want ttlwrite/already-expired
	if auditor != "" {
		until = a.now().Add(time.Minute)
		mut.Set(a.lay.Grant, "read", bigtable.Time(until), []byte(auditor)) // ok ttlwrite/already-expired
	}
	return a.tbl.Apply(ctx, "grant#"+auditor, mut)
}

// Allowed tells whether an auditor may read now.
func (a *AuditStore) Allowed(ctx context.Context, auditor string) (bool, error) {
	row, err := a.tbl.ReadRow(ctx, "grant#"+auditor, bigtable.RowFilter(bigtable.FamilyFilter(a.lay.Grant))) // want ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return len(row[a.lay.Grant]) > 0, nil
}

// AllowedNow does the same with the right filter.
func (a *AuditStore) AllowedNow(ctx context.Context, auditor string) (bool, error) {
	opts := []bigtable.ReadOption{
		bigtable.RowFilter(bigtable.ChainFilters(
			bigtable.FamilyFilter(a.lay.Grant),
			bigtable.TimestampRangeFilter(a.now(), time.Time{}), // ok ttlread/wrong-bound
		)),
		bigtable.LimitRows(1),
	}
	row, err := a.tbl.ReadRow(ctx, "grant#"+auditor, opts...) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return len(row[a.lay.Grant]) > 0, nil
}

// Query is what a page of the log shows.
type Query struct {
	Actor  string
	Action string
	From   time.Time
	To     time.Time
	Limit  int64
}

// Page reads a page of the log.
func (a *AuditStore) Page(ctx context.Context, q Query) ([]Event, error) {
	filters := []bigtable.Filter{
		bigtable.FamilyFilter(a.lay.Event),
		bigtable.TimestampRangeFilter(a.retained(), time.Time{}), // ok ttlread/wrong-bound
		bigtable.LatestNFilter(1),
	}
	if q.Action != "" {
		filters = append(filters, bigtable.ColumnFilter("action"), bigtable.ValueFilter(q.Action))
	}
	var out []Event
	err := a.tbl.ReadRows(ctx, bigtable.PrefixRange(keys.ActorPrefix(q.Actor)), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		out = append(out, a.event(r))
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(filters...)), bigtable.LimitRows(q.Limit)) // ok ttlread/upper-bound
	return out, err
}

// Recent reads the last page; somebody took the sessions' filter for it.
func (a *AuditStore) Recent(ctx context.Context, actor string) ([]Event, error) {
	live := bigtable.ChainFilters(bigtable.FamilyFilter(a.lay.Event), bigtable.TimestampRangeFilter(a.now(), time.Time{})) // want ttlread/wrong-bound[recent]
	var out []Event
	err := a.tbl.ReadRows(ctx, bigtable.PrefixRange(keys.ActorPrefix(actor)), func(r bigtable.Row) bool { // want ttlread/wrong-bound[recent]
		out = append(out, a.event(r))
		return len(out) < 50
	}, bigtable.RowFilter(live)) // want ttlread/wrong-bound[recent]
	return out, err
}

// Window reads what happened up to now, which hides what lives longer than usual.
func (a *AuditStore) Window(ctx context.Context, actor string) ([]Event, error) {
	now := a.now()
	var out []Event
	err := a.tbl.ReadRows(ctx, bigtable.PrefixRange(keys.ActorPrefix(actor)), func(r bigtable.Row) bool { // want ttlread/upper-bound[window]
		out = append(out, a.event(r))
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(a.lay.Event), bigtable.TimestampRangeFilter(now.Add(-a.lay.Retention), now)))) // want ttlread/upper-bound[window]
	return out, err
}

// Quarter was written when the log was kept for sixty days.
func (a *AuditStore) Quarter(ctx context.Context, actor string) ([]Event, error) {
	const keep = 60 * 24 * time.Hour
	var out []Event
	filter := bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(a.lay.Event), bigtable.TimestampRangeFilter(a.now().Add(-keep), time.Time{}))) // want ttlread/wrong-bound[quarter]
	err := a.tbl.ReadRows(ctx, bigtable.PrefixRange(keys.ActorPrefix(actor)), func(r bigtable.Row) bool {                                                   // want ttlread/wrong-bound[quarter]
		out = append(out, a.event(r))
		return true
	}, filter) // want ttlread/wrong-bound[quarter]
	return out, err
}

// Tail reads whatever is there.
func (a *AuditStore) Tail(ctx context.Context, actor string, n int) ([]Event, error) {
	var out []Event
	err := a.tbl.ReadRows(ctx, bigtable.PrefixRange(keys.ActorPrefix(actor)), func(r bigtable.Row) bool { // want ttlread/missing-filter
		out = append(out, a.event(r))
		return len(out) < n
	})
	return out, err
}

// Actors reads the actors only.
func (a *AuditStore) Actors(ctx context.Context) (map[string]string, error) {
	out := map[string]string{}
	err := a.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range r[a.lay.Actor] {
			out[r.Key()] = string(it.Value)
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(a.lay.Actor), bigtable.LatestNFilter(1)))) // ok ttlread/missing-filter
	return out, err
}

// Keys lists the keys of an actor's events.
func (a *AuditStore) Keys(ctx context.Context, actor string) ([]string, error) {
	var out []string
	err := a.tbl.ReadRows(ctx, bigtable.PrefixRange(keys.ActorPrefix(actor)), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		out = append(out, r.Key())
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.StripValueFilter(), bigtable.CellsPerRowLimitFilter(1)))) // ok ttlread/limit-before-filter
	return out, err
}

// Matching reads events with an action; two filters, of which one counts.
func (a *AuditStore) Matching(ctx context.Context, actor, action string) ([]Event, error) {
	var out []Event
	err := a.tbl.ReadRows(ctx, bigtable.PrefixRange(keys.ActorPrefix(actor)), func(r bigtable.Row) bool { // want ttlread/overridden-filter[matching]
		out = append(out, a.event(r))
		return true
	}, bigtable.RowFilter(bigtable.ValueFilter(action)), bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(a.lay.Event), bigtable.TimestampRangeFilter(a.retained(), time.Time{})))) // want ttlread/overridden-filter[matching]
	return out, err
}

// Fields reads some columns of an event.
func (a *AuditStore) Fields(ctx context.Context, key string, cols ...string) (map[string]string, error) {
	var filter bigtable.Filter = bigtable.FamilyFilter(a.lay.Event)
	if len(cols) > 0 {
		filter = bigtable.ChainFilters(filter, bigtable.ColumnFilter(strings.Join(cols, "|")))
	}
	filter = bigtable.ChainFilters(filter, bigtable.TimestampRangeFilter(a.retained(), time.Time{}))
	row, err := a.tbl.ReadRow(ctx, key, bigtable.RowFilter(filter)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := make(map[string]string)
	for _, it := range row[a.lay.Event] {
		out[it.Column] = string(it.Value)
	}
	return out, nil
}

// Raw reads some columns of an event for the debugger.
func (a *AuditStore) Raw(ctx context.Context, key string, cols ...string) (map[string]string, error) {
	var filter bigtable.Filter = bigtable.FamilyFilter(a.lay.Event)
	if len(cols) > 0 {
		filter = bigtable.ChainFilters(filter, bigtable.ColumnFilter(strings.Join(cols, "|")))
	}
	row, err := a.tbl.ReadRow(ctx, key, bigtable.RowFilter(filter)) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := make(map[string]string)
	for _, it := range row[a.lay.Event] {
		out[it.Column] = string(it.Value)
		out["written"] = it.Timestamp.Time().Format(time.RFC3339) // want ttlage/not-write-time
	}
	return out, nil
}

func (a *AuditStore) event(r bigtable.Row) Event {
	e := Event{Actor: actorOf(r.Key())}
	if at, err := keys.EventTime(r.Key()); err == nil {
		e.At = at
	}
	for _, it := range r[a.lay.Event] {
		switch strings.TrimPrefix(it.Column, a.lay.Event+":") {
		case "action":
			e.Action = string(it.Value)
		case "object":
			e.Object = string(it.Value)
		case "attrs":
			_ = json.Unmarshal(it.Value, &e.Attrs)
		}
	}
	return e
}

func actorOf(key string) string {
	actor, _, _ := strings.Cut(key, "#")
	return actor
}

// Seal marks an event as evidence, unless it is marked already.
func (a *AuditStore) Seal(ctx context.Context, key, ticket string) error {
	mut := bigtable.NewMutation()
	mut.Set(a.lay.Event, "sealed", a.stamp(ClassLegal), []byte(ticket))                                                                    // ok ttlwrite/already-expired
	cond := bigtable.NewCondMutation(bigtable.ChainFilters(bigtable.FamilyFilter(a.lay.Event), bigtable.ColumnFilter("sealed")), nil, mut) // want ttlread/conditional-mutation
	return a.tbl.Apply(ctx, key, cond)
}

// Annotate adds a remark to an event that is still there.
func (a *AuditStore) Annotate(ctx context.Context, key, remark string) error {
	mut := bigtable.NewMutation()
	mut.Set(a.lay.Event, "remark", bigtable.Now(), []byte(remark)) // ok ttlwrite/write-time
	pred := bigtable.ChainFilters(bigtable.FamilyFilter(a.lay.Event), bigtable.TimestampRangeFilter(a.retained(), time.Time{}))
	return a.tbl.Apply(ctx, key, bigtable.NewCondMutation(pred, mut, nil)) // ok ttlread/conditional-mutation
}

// Bump counts how often an event was looked at.
func (a *AuditStore) Bump(ctx context.Context, key string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(a.lay.Event, "views", 1) // ok ttlwrite/read-modify-write
	rmw.Increment(a.lay.Actor, "views", 1) // ok ttlwrite/read-modify-write
	_, err := a.tbl.ApplyReadModifyWrite(ctx, key, rmw)
	return err
}

// UseGrant counts the pages that an auditor read.
func (a *AuditStore) UseGrant(ctx context.Context, auditor string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(a.lay.Grant, "used", 1) // want ttlwrite/read-modify-write
	_, err := a.tbl.ApplyReadModifyWrite(ctx, "grant#"+auditor, rmw)
	return err
}
