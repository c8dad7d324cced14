// Package audit copies what happens into tables of its own. Their families have the
// names of the originals and nothing else in common with them: every cell has the
// time at which it was written.
package audit

import (
	"context"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/gridwatch/internal/bus"
	"example.com/gridwatch/internal/store"
)

// Tables of the audit instance.
const (
	trailTable  = "audit-trail"
	replayTable = "audit-replay"
)

// Record is one line of the trail.
type Record struct {
	Key    string
	Family string
	What   string
	At     time.Time
}

// Trail writes and reads the audit tables.
type Trail struct {
	trail  *bigtable.Table
	replay *bigtable.Table
}

// New opens the audit tables.
func New(c *bigtable.Client) *Trail {
	return &Trail{trail: c.Open(trailTable), replay: c.Open(replayTable)}
}

// Run consumes records.
func (t *Trail) Run(ctx context.Context, in <-chan Record) error {
	return bus.Each(ctx, 2, in, func(ctx context.Context, r Record) error {
		mut := bigtable.NewMutation()
		mut.Set(store.FamToken, "what", bigtable.Now(), []byte(r.What))         // ok ttlwrite/write-time
		mut.Set(store.FamPresence, "what", bigtable.ServerTime, []byte(r.What)) // ok ttlwrite/server-timestamp
		mut.Set(store.FamEntry, "what", bigtable.Now(), []byte(r.What))         // ok ttlwrite/clock-in-sequence
		mut.Set(store.FamCursor, "what", bigtable.ServerTime, []byte(r.What))   // ok ttlwrite/clock-in-zero
		mut.Set(store.FamSeen, "what", bigtable.Time(r.At), []byte(r.What))     // ok ttlwrite/already-expired
		return t.trail.Apply(ctx, r.Key, mut)
	})
}

// Count counts in the trail.
func (t *Trail) Count(ctx context.Context, key string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(store.FamToken, "n", 1) // ok ttlwrite/read-modify-write
	rmw.Increment(store.FamEntry, "n", 1) // ok ttlwrite/read-modify-write
	_, err := t.trail.ApplyReadModifyWrite(ctx, key, rmw)
	return err
}

// Read streams records.
func (t *Trail) Read(ctx context.Context, prefix string, out chan<- Record) error {
	defer close(out)
	return t.trail.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for fam, items := range row {
			for _, it := range items {
				out <- Record{Key: row.Key(), Family: fam, What: string(it.Value), At: it.Timestamp.Time()}
			}
		}
		return true
	})
}

// Tokens reads what happened to tokens within a day.
func (t *Trail) Tokens(ctx context.Context, key string) (int, error) {
	row, err := t.trail.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(store.FamToken), store.Within(24*time.Hour)))) // ok ttlread/wrong-bound
	if err != nil {
		return 0, err
	}
	for _, it := range row[store.FamToken] {
		slog.InfoContext(ctx, "token", "age", time.Since(it.Timestamp.Time())) // ok ttlage/not-write-time
	}
	return len(row[store.FamToken]), nil
}

// Entries reads entries up to now.
func (t *Trail) Entries(ctx context.Context, key string) (int, error) {
	row, err := t.replay.ReadRow(ctx, key, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Time{}, time.Now()))) // ok ttlread/expired-only
	if err != nil {
		return 0, err
	}
	return len(row[store.FamEntry]), nil
}

// Add adds up in an aggregate family, which must not use the server's clock.
func (t *Trail) Add(ctx context.Context, key string, n int64) error {
	mut := bigtable.NewMutation()
	mut.AddIntToCell("sums", "n", bigtable.ServerTime, n)                                  // want ttlwrite/aggregate-server-time
	mut.AddIntToCell("sums", "n-day", bigtable.Time(time.Now().Truncate(24*time.Hour)), n) // ok ttlwrite/aggregate-server-time
	mut.MergeBytesToCell("sketches", "hll", -1, []byte{0})                                 // want ttlwrite/aggregate-server-time
	return t.replay.Apply(ctx, key, mut)
}

// Between has the arguments in the wrong units.
func (t *Trail) Between(ctx context.Context, key string, from, to time.Time) (bigtable.Row, error) {
	f := bigtable.TimestampRangeFilterMicros(bigtable.Timestamp(from.UnixMilli()), bigtable.Timestamp(to.UnixMilli())) // want ttlunit/wrong-unit
	g := bigtable.TimestampRangeFilterMicros(bigtable.Timestamp(from.UnixMicro()), bigtable.Timestamp(to.UnixMicro())) // ok ttlunit/wrong-unit
	if row, err := t.replay.ReadRow(ctx, key, bigtable.RowFilter(g)); err != nil || len(row) > 0 {
		return row, err
	}
	return t.replay.ReadRow(ctx, key, bigtable.RowFilter(f))
}

// Rewrite gives cells another time.
func (t *Trail) Rewrite(ctx context.Context, r Record, shift time.Duration) error {
	mut := bigtable.NewMutation()
	ts := bigtable.Time(r.At)
	mut.Set("rewritten", "at", ts+bigtable.Timestamp(shift), []byte(r.What))                // want ttlunit/wrong-unit
	mut.Set("rewritten", "us", ts+bigtable.Timestamp(shift.Microseconds()), []byte(r.What)) // ok ttlunit/wrong-unit
	mut.Set("rewritten", "ns", bigtable.Timestamp(r.At.UnixNano()), []byte(r.What))         // want ttlunit/wrong-unit
	mut.Set("rewritten", "ns-us", bigtable.Timestamp(r.At.UnixNano()/1000), []byte(r.What)) // ok ttlunit/wrong-unit
	mut.Set("rewritten", "s", bigtable.Timestamp(r.At.Unix()), []byte(r.What))              // want ttlunit/wrong-unit
	mut.Set("rewritten", "s-us", bigtable.Timestamp(r.At.Unix()*1e6), []byte(r.What))       // ok ttlunit/wrong-unit
	mut.Set("rewritten", "zero", bigtable.Time(time.Time{}), []byte(r.What))                // want ttlunit/out-of-range
	mut.Set("rewritten", "neg", -5000, []byte(r.What))                                      // want ttlunit/out-of-range
	mut.Set("rewritten", "server", -1, []byte(r.What))                                      // ok ttlunit/out-of-range
	mut.Set("rewritten", "odd", 1500, []byte(r.What))                                       // want ttlunit/sub-millisecond
	mut.Set("rewritten", "even", 2000, []byte(r.What))                                      // ok ttlunit/sub-millisecond
	return t.replay.Apply(ctx, r.Key, mut)
}

// Trim deletes what has an early timestamp.
func (t *Trail) Trim(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	mut.DeleteTimestampRange("rewritten", "zero", 0, 999) // want ttlunit/sub-millisecond
	mut.DeleteTimestampRange("rewritten", "odd", 0, 5000) // ok ttlunit/sub-millisecond
	mut.DeleteTimestampRange("rewritten", "even", 0, 0)   // ok ttlunit/empty-range
	return t.replay.Apply(ctx, key, mut)
}

// Numbers reads ranges of numbered cells.
func (t *Trail) Numbers(ctx context.Context, key string) (int, error) {
	ranges := []bigtable.Filter{
		bigtable.TimestampRangeFilterMicros(1000, 9000), // ok ttlunit/empty-range
		bigtable.TimestampRangeFilterMicros(9000, 9000), // want ttlunit/empty-range
		bigtable.TimestampRangeFilterMicros(9000, 1000), // want ttlunit/empty-range
		bigtable.TimestampRangeFilterMicros(9000, 0),    // ok ttlunit/empty-range
		bigtable.TimestampRangeFilterMicros(0, 400),     // want ttlunit/sub-millisecond
	}
	n := 0
	for _, f := range ranges {
		row, err := t.replay.ReadRow(ctx, key, bigtable.RowFilter(f))
		if err != nil {
			return n, err
		}
		n += len(row["numbers"])
	}
	return n, nil
}

// Newest has limits that the server rejects.
func (t *Trail) Newest(ctx context.Context, key string) (bigtable.Row, error) {
	row, err := t.replay.ReadRow(ctx, key, bigtable.RowFilter(bigtable.LatestNFilter(0))) // want ttlunit/invalid-filter
	if err == nil {
		return row, nil
	}
	one := bigtable.ChainFilters(bigtable.FamilyFilter("rewritten")) // want ttlunit/invalid-filter
	if row, err = t.replay.ReadRow(ctx, key, bigtable.RowFilter(one)); err == nil {
		return row, nil
	}
	return t.replay.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("rewritten"), bigtable.LatestNFilter(1)))) // ok ttlunit/invalid-filter
}
