package store

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/paywell/clock"
)

// Reports keeps copies of other tables' families for the people who count,
// with real timestamps or none, and an audit trail. No row of these tables is
// ever collected before its time.
type Reports struct {
	tbl   rows
	audit rows
	clk   clock.Clock
	n     int64
}

// NewReports returns a store on tbl and audit.
func NewReports(tbl, audit rows, clk clock.Clock) *Reports {
	return &Reports{tbl: tbl, audit: audit, clk: clk}
}

// Copy stores a copy of a row.
func (r *Reports) Copy(ctx context.Context, key string, tok, state []byte) error {
	r.n++
	mut := bigtable.NewMutation()
	mut.Set(FamTok, "copy", bigtable.ServerTime, tok) // ok ttlwrite/server-timestamp
	mut.Set(FamState, "copy", bare(r.n), state)       // ok ttlwrite/unscaled-sequence
	mut.Set(FamWin, "copy", 0, nil)                   // ok ttlwrite/already-expired
	return r.tbl.Apply(ctx, key, mut)
}

// Trail writes into the audit trail.
func (r *Reports) Trail(ctx context.Context, who, what string) error {
	mut := bigtable.NewMutation()
	mut.Set(FamEvt, who, bigtable.Time(r.clk.Now()), []byte(what)) // ok ttlwrite/write-time
	return r.audit.Apply(ctx, r.clk.Now().Format(time.DateOnly), mut)
}

// TrailOf reads the audit trail of a day.
func (r *Reports) TrailOf(ctx context.Context, day time.Time) ([]string, error) {
	row, err := r.audit.ReadRow(ctx, day.Format(time.DateOnly)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []string
	for _, item := range row[FamEvt] {
		created := item.Timestamp.Time() // ok ttlage/not-write-time
		out = append(out, fmt.Sprintf("%s %s %s", created.Format(time.TimeOnly), column(item), item.Value))
	}
	return out, nil
}

// Read reads a copy.
func (r *Reports) Read(ctx context.Context, key string) ([]byte, error) {
	row, err := r.tbl.ReadRow(ctx, key) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	for _, item := range row[FamTok] {
		return item.Value, nil
	}
	return nil, nil
}

// Yesterday reads the copies of yesterday.
func (r *Reports) Yesterday(ctx context.Context) (keys []string, err error) {
	now := r.clk.Now()
	f := bigtable.TimestampRangeFilter(now.AddDate(0, 0, -1), now) // ok ttlread/upper-bound
	err = r.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		keys = append(keys, row.Key())
		return true
	}, bigtable.RowFilter(f))
	return keys, err
}

// Forget deletes the copies that are older than a year.
func (r *Reports) Forget(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	mut.DeleteTimestampRange(FamTok, "copy", 0, bigtable.Time(r.clk.Now().AddDate(-1, 0, 0))) // ok ttlunit/sub-millisecond
	mut.DeleteTimestampRange(FamState, "copy", 0, 500)                                        // want ttlunit/sub-millisecond
	mut.DeleteTimestampRange(FamDoc, "copy", 0, 5000)                                         // ok ttlunit/sub-millisecond
	return r.tbl.Apply(ctx, key, mut)
}

// Stamp stores a duration, which is no time.
func (r *Reports) Stamp(ctx context.Context, key string, took time.Duration) error {
	mut := bigtable.NewMutation()
	mut.Set(FamDoc, "took", bigtable.Timestamp(took), nil)        // want ttlunit/wrong-unit
	mut.Set(FamDoc, "epoch", bigtable.Time(time.Time{}), nil)     // want ttlunit/out-of-range
	mut.Set(FamDoc, "start", bigtable.Time(time.Unix(0, 0)), nil) // ok ttlunit/out-of-range
	mut.Set(FamDoc, "fine", bigtable.Timestamp(1500), nil)        // want ttlunit/sub-millisecond
	mut.Set(FamDoc, "coarse", bigtable.Timestamp(15000), nil)     // ok ttlunit/sub-millisecond
	return r.tbl.Apply(ctx, key, mut)
}

// Decade reads what was written in a decade; somebody swapped the bounds.
func (r *Reports) Decade(ctx context.Context, key string) (bigtable.Row, error) {
	from := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	to := time.Date(2010, 1, 1, 0, 0, 0, 0, time.UTC)
	return r.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.TimestampRangeFilter(from, to))) // want ttlunit/empty-range
}

// Century reads what was written in a century.
func (r *Reports) Century(ctx context.Context, key string) (bigtable.Row, error) {
	from := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	to := time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
	return r.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.TimestampRangeFilter(from, to))) // ok ttlunit/empty-range
}

// None reads nothing, which Bigtable does not allow.
func (r *Reports) None(ctx context.Context, key string) (bigtable.Row, error) {
	return r.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.LatestNFilter(0))) // want ttlunit/invalid-filter
}

// One reads one version through a chain of one.
func (r *Reports) One(ctx context.Context, key string) (bigtable.Row, error) {
	return r.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.LatestNFilter(1)))) // want ttlunit/invalid-filter
}
