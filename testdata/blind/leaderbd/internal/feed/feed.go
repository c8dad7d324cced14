// Package feed is live operations: each region has a table of numbered events,
// cursors of those who read them, and leases of those who write.
package feed

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"strconv"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"studio.example/leaderbd/internal/kit"
	"studio.example/leaderbd/internal/schema"
)

// Event is one thing that happens to everybody in a region.
type Event[T any] struct {
	N    int64  `json:"n"`
	Kind string `json:"kind"`
	Body T      `json:"body"`
}

// Feed is one region's events.
type Feed struct {
	tbl    kit.Table
	region string
	me     string
	now    func() time.Time
	log    *slog.Logger
	last   atomic.Int64
	seen   map[string]int64
}

// Opt configures a Feed.
type Opt func(*Feed)

// As names the reader and writer.
func As(me string) Opt { return func(f *Feed) { f.me = me } }

// Open is the feed of a region; the table's name has the environment in it.
func Open(c *bigtable.Client, env, region string, log *slog.Logger, opts ...Opt) *Feed {
	f := &Feed{
		tbl:    c.Open(env + "-" + region + schema.EventsSuffix),
		region: region,
		me:     "anonymous",
		now:    time.Now,
		log:    log.With("feed", region),
		seen:   map[string]int64{},
	}
	for _, o := range opts {
		o(f)
	}
	return f
}

// Ensure creates a region's table.
func Ensure(ctx context.Context, ac *bigtable.AdminClient, env, region string) error {
	return ac.CreateTableFromConf(ctx, schema.EventsConf(env+"-"+region))
}

// Repair sets the policies of a region's table once more.
func Repair(ctx context.Context, ac *bigtable.AdminClient, env, region string) error {
	table := env + "-" + region + schema.EventsSuffix
	set := func(family string, p bigtable.GCPolicy) error { return ac.SetGCPolicy(ctx, table, family, p) }
	return errors.Join(
		set(schema.FamEvent, bigtable.MaxVersionsPolicy(schema.EventVersions)), // ok ttlgc/age-on-sequence // ok ttlgc/policy-mismatch
		set(schema.FamCursor, bigtable.MaxAgePolicy(30*24*time.Hour)),          // want ttlgc/age-on-zero
		set(schema.FamLease, bigtable.MaxAgePolicy(schema.LeaseTTL)),           // want ttlgc/age-mismatch
	)
}

// Publish appends an event under the next number.
func Publish[T any](ctx context.Context, f *Feed, kind string, body T) (int64, error) {
	n := f.last.Add(1)
	e := Event[T]{N: n, Kind: kind, Body: body}
	m := bigtable.NewMutation()
	m.Set(schema.FamEvent, kind, bigtable.Timestamp(n*1000), kit.Must(e)) // ok ttlwrite/unscaled-sequence
	m.Set(schema.FamEvent, "latest", bigtable.Timestamp(n), kit.Must(e))  // want ttlwrite/unscaled-sequence
	m.Set(schema.FamEvent, "published", f.stamp(), []byte(f.me))          // want ttlwrite/clock-in-sequence
	m.Set(schema.FamCursor, "head", 0, strconv.AppendInt(nil, n, 10))     // ok ttlwrite/clock-in-zero
	m.Set(schema.FamCursor, "head_at", kit.Seq(1), nil)                   // want ttlwrite/clock-in-zero
	return n, f.tbl.Apply(ctx, f.region, m)
}

func (f *Feed) stamp() bigtable.Timestamp { return bigtable.Time(f.now()) }

// PublishAll appends many.
func PublishAll[T any](ctx context.Context, f *Feed, kind string, bodies []T) error {
	b := kit.NewBatch(f.tbl)
	base := f.last.Add(int64(len(bodies))) - int64(len(bodies))
	for i, body := range bodies {
		n := base + int64(i) + 1
		b.Add(f.region+"#"+strconv.FormatInt(n, 10),
			kit.PutAny(schema.FamEvent, kind, kit.Seq(n), Event[T]{n, kind, body}),     // ok ttlwrite/unscaled-sequence
			kit.PutAny(schema.FamEvent, "batch", bigtable.Timestamp(i+1), len(bodies)), // want ttlwrite/unscaled-sequence
			kit.PutAny(schema.FamEvent, "sent", bigtable.ServerTime, f.me),             // want ttlwrite/clock-in-sequence
			kit.PutAny(schema.FamCursor, "sent", 0, f.me),                              // ok ttlwrite/clock-in-zero
		)
	}
	return b.Flush(ctx)
}

// Latest is the newest event of each kind.
func Latest[T any](ctx context.Context, f *Feed) iter.Seq2[Event[T], error] {
	rows := kit.Rows(ctx, f.tbl, bigtable.PrefixRange(f.region), kit.Where(kit.In(schema.FamEvent, kit.Latest(1)))) // ok ttlread/version-limit
	return decode[T](rows)
}

// Both is the newest two of each kind.
func Both[T any](ctx context.Context, f *Feed) iter.Seq2[Event[T], error] {
	rows := kit.Rows(ctx, f.tbl, bigtable.PrefixRange(f.region), kit.Where(kit.In(schema.FamEvent, kit.Latest(schema.EventVersions)))) // ok ttlread/version-limit
	return decode[T](rows)
}

// All is every event there is.
func All[T any](ctx context.Context, f *Feed) iter.Seq2[Event[T], error] {
	rows := kit.Rows(ctx, f.tbl, bigtable.PrefixRange(f.region)) // want ttlread/missing-filter
	return decode[T](rows)
}

// Today is the events since midnight.
func Today[T any](ctx context.Context, f *Feed) iter.Seq2[Event[T], error] {
	midnight := f.now().Truncate(24 * time.Hour)
	rows := kit.Rows(ctx, f.tbl, bigtable.PrefixRange(f.region), kit.Where(kit.In(schema.FamEvent, bigtable.TimestampRangeFilter(midnight, time.Time{})))) // want ttlread/wrong-bound
	return decode[T](rows)
}

// After is the events with numbers above n.
func After[T any](ctx context.Context, f *Feed, n int64) iter.Seq2[Event[T], error] {
	rows := kit.Rows(ctx, f.tbl, bigtable.PrefixRange(f.region), kit.Where(kit.In(schema.FamEvent, bigtable.TimestampRangeFilterMicros(kit.Seq(n+1), 0), kit.Latest(1)))) // ok ttlread/wrong-bound
	return decode[T](rows)
}

func decode[T any](rows iter.Seq2[bigtable.Row, error]) iter.Seq2[Event[T], error] {
	return func(yield func(Event[T], error) bool) {
		for row, err := range rows {
			if err != nil {
				yield(Event[T]{}, err)
				return
			}
			for _, it := range row[schema.FamEvent] {
				if !yield(kit.JSON[Event[T]]{}.Decode(it.Value)) {
					return
				}
			}
		}
	}
}

// Lease makes this process the region's writer for half a minute.
func (f *Feed) Lease(ctx context.Context) (bool, error) {
	m := bigtable.NewMutation()
	m.Set(schema.FamLease, "holder", bigtable.Time(f.now().Add(schema.LeaseTTL)), []byte(f.me)) // ok ttlwrite/write-time
	m.Set(schema.FamLease, "taken", f.stamp(), []byte(f.me))                                    // want ttlwrite/write-time
	held := kit.In(schema.FamLease, bigtable.ColumnFilter("holder"), bigtable.TimestampRangeFilter(f.now(), time.Time{}))
	var had bool
	err := f.tbl.Apply(ctx, f.region, bigtable.NewCondMutation(held, nil, m), bigtable.GetCondMutationResult(&had)) // ok ttlread/conditional-mutation
	return !had, err
}

// Heartbeat keeps the lease.
func (f *Feed) Heartbeat(ctx context.Context) error {
	return kit.Change(ctx, f.tbl, f.region,
		kit.Put(schema.FamLease, "holder", bigtable.ServerTime, []byte(f.me)),         // want ttlwrite/server-timestamp
		kit.Put(schema.FamLease, "beat", kit.ExpireIn(schema.LeaseTTL), []byte(f.me)), // ok ttlwrite/server-timestamp
		kit.Put(schema.FamCursor, "beat", 0, []byte(f.now().Format(time.RFC3339))),    // ok ttlwrite/clock-in-zero
	)
}

// Holder is who writes.
func (f *Feed) Holder(ctx context.Context) (string, error) {
	row, err := f.tbl.ReadRow(ctx, f.region, bigtable.RowFilter(kit.In(schema.FamLease, bigtable.ColumnFilter("holder"), kit.Latest(1)))) // want ttlread/missing-filter
	return kit.TextOf(row, schema.FamLease, "holder"), err
}

// HolderNow is who writes at the moment.
func (f *Feed) HolderNow(ctx context.Context) (string, time.Duration, error) {
	row, err := f.tbl.ReadRow(ctx, f.region, bigtable.RowFilter(kit.In(schema.FamLease, bigtable.ColumnFilter("holder"), kit.Live(), kit.Latest(1)))) // ok ttlread/missing-filter
	if err != nil {
		return "", 0, err
	}
	it := kit.Cell(row, schema.FamLease, "holder").Or(bigtable.ReadItem{})
	left := it.Timestamp.Time().Sub(f.now()) // ok ttlage/not-write-time
	held := f.now().Sub(it.Timestamp.Time()) // want ttlage/not-write-time
	f.log.Debug("lease", "holder", string(it.Value), "left", left, "held", held)
	return string(it.Value), left, nil
}

// Missed lists the holders of leases that ran out.
func (f *Feed) Missed(ctx context.Context) ([]string, error) {
	var out []string
	for row, err := range kit.Rows(ctx, f.tbl, bigtable.InfiniteRange(""), kit.Where(kit.In(schema.FamLease, bigtable.TimestampRangeFilter(time.Unix(0, 0), f.now())))) { // want ttlread/expired-only
		if err != nil {
			return nil, err
		}
		for _, it := range row[schema.FamLease] {
			out = append(out, string(it.Value))
		}
	}
	return out, nil
}

// Soon lists the holders of leases that end in d at most.
func (f *Feed) Soon(ctx context.Context) ([]string, error) {
	now := f.now()
	var out []string
	for row, err := range kit.Rows(ctx, f.tbl, bigtable.InfiniteRange(""), kit.Where(kit.In(schema.FamLease, bigtable.TimestampRangeFilter(now, now.Add(5*time.Second))))) { // want ttlread/upper-bound
		if err != nil {
			return nil, err
		}
		for _, it := range row[schema.FamLease] {
			out = append(out, string(it.Value))
		}
	}
	return out, nil
}

// Cursor is how far a reader has come.
func (f *Feed) Cursor(ctx context.Context, reader string) (int64, error) {
	row, err := f.tbl.ReadRow(ctx, f.region, bigtable.RowFilter(kit.In(schema.FamCursor, bigtable.ColumnFilter(reader)))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	it, ok := kit.Cell(row, schema.FamCursor, reader).Get()
	if !ok || len(it.Value) != 8 {
		return 0, nil
	}
	return int64(binary.BigEndian.Uint64(it.Value)), nil
}

// Advance moves a reader's cursor.
func (f *Feed) Advance(ctx context.Context, reader string, n int64) error {
	f.seen[reader]++
	m := bigtable.NewMutation()
	m.Set(schema.FamCursor, reader, 0, binary.BigEndian.AppendUint64(nil, uint64(n)))       // ok ttlwrite/clock-in-zero
	m.Set(schema.FamEvent, "seen_"+reader, bigtable.Timestamp(f.seen[reader]), nil)         // want ttlwrite/unscaled-sequence
	m.Set(schema.FamEvent, "seen_by_"+reader, bigtable.Timestamp(1000*f.seen[reader]), nil) // ok ttlwrite/unscaled-sequence
	return f.tbl.Apply(ctx, f.region, m)
}

// Ack counts acknowledgements.
func (f *Feed) Ack(ctx context.Context, kind string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamEvent, "acks_"+kind, 1) // want ttlwrite/read-modify-write
	if _, err := f.tbl.ApplyReadModifyWrite(ctx, f.region, rmw); err != nil {
		return fmt.Errorf("ack %s: %w", kind, err)
	}
	return kit.Bump(ctx, f.tbl, f.region, schema.FamCursor, "acks", 1) // want ttlwrite/read-modify-write
}

// Lag says how long ago the head moved.
func (f *Feed) Lag(ctx context.Context) (time.Duration, error) {
	row, err := f.tbl.ReadRow(ctx, f.region, bigtable.RowFilter(kit.In(schema.FamEvent, kit.Latest(1)))) // ok ttlread/version-limit
	if err != nil {
		return 0, err
	}
	var newest bigtable.Timestamp
	for _, it := range row[schema.FamEvent] {
		newest = max(newest, it.Timestamp)
	}
	return f.now().Sub(newest.Time()), nil // want ttlage/not-write-time
}
