package jobs

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/beacon/internal/clock"
	"example.com/beacon/internal/layout"
	"example.com/beacon/internal/store"
)

// Compaction folds points into roll-ups.
type Compaction struct {
	lay    layout.Metrics
	window time.Duration
}

// NewCompaction returns the job for the layout.
func NewCompaction(lay layout.Metrics) *Compaction {
	return &Compaction{lay: lay.WithDefaults(), window: time.Hour}
}

// Name is the job's name.
func (*Compaction) Name() string { return "compaction" }

type bucket struct {
	sum, min, max float64
	n             int
}

func (b *bucket) add(v float64) {
	if b.n == 0 || v < b.min {
		b.min = v
	}
	if b.n == 0 || v > b.max {
		b.max = v
	}
	b.sum += v
	b.n++
}

// Run folds the points of all series.
func (c *Compaction) Run(ctx context.Context, t *store.Tenant) error {
	live := bigtable.ChainFilters(
		bigtable.FamilyFilter(c.lay.Point),
		bigtable.ColumnFilter("v"),
		bigtable.TimestampRangeFilter(time.Now().Add(-c.lay.Keep), time.Time{}), // ok ttlread/wrong-bound
	)
	var failed error
	err := t.Tables.Metrics.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		buckets := map[time.Time]*bucket{}
		for _, it := range r[c.lay.Point] {
			at := it.Timestamp.Time().Truncate(c.window)
			if buckets[at] == nil {
				buckets[at] = new(bucket)
			}
			buckets[at].add(float(it.Value))
		}
		failed = c.write(ctx, t.Tables.Metrics, r.Key(), buckets)
		return failed == nil
	}, bigtable.RowFilter(live))
	if err != nil {
		return err
	}
	return failed
}

func (c *Compaction) write(ctx context.Context, tbl bigtable.TableAPI, key string, buckets map[time.Time]*bucket) error {
	mut := bigtable.NewMutation()
	for at, b := range buckets {
		ts := bigtable.Time(at)
		mut.Set(c.lay.Rollup, "sum", ts, bytes(b.sum)) // ok ttlwrite/write-time
		mut.Set(c.lay.Rollup, "min", ts, bytes(b.min)) // ok ttlwrite/same-timestamp
		mut.Set(c.lay.Rollup, "max", ts, bytes(b.max)) // ok ttlwrite/same-timestamp
	}
	return tbl.Apply(ctx, key, mut)
}

// RunAll folds the points of all series without a look at what has expired.
func (c *Compaction) RunAll(ctx context.Context, t *store.Tenant) (float64, error) {
	var total bucket
	err := t.Tables.Metrics.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // want ttlread/missing-filter[runall]
		for _, it := range r[c.lay.Point] {
			total.add(float(it.Value))
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(c.lay.Point), bigtable.ColumnFilter("v")))) // want ttlread/missing-filter[runall]
	return total.sum, err
}

// Sample folds ten of a hundred rows.
func (c *Compaction) Sample(ctx context.Context, t *store.Tenant) (float64, error) {
	var total bucket
	opts := []bigtable.ReadOption{bigtable.LimitRows(10_000)}
	opts = append(opts, bigtable.RowFilter(bigtable.ChainFilters(bigtable.RowSampleFilter(0.1), bigtable.FamilyFilter(c.lay.Point), bigtable.CellsPerRowLimitFilter(100), clockRange(c.lay.Keep)))) // want ttlread/limit-before-filter[sample]
	err := t.Tables.Metrics.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool {                                                                                                   // want ttlread/limit-before-filter[sample]
		for _, it := range r[c.lay.Point] {
			total.add(float(it.Value))
		}
		return true
	}, opts...) // want ttlread/limit-before-filter[sample]
	return total.sum, err
}

// SampleLive folds ten of a hundred rows, each with the cells that live.
func (c *Compaction) SampleLive(ctx context.Context, t *store.Tenant) (float64, error) {
	var total bucket
	opts := []bigtable.ReadOption{bigtable.LimitRows(10_000)}
	opts = append(opts, bigtable.RowFilter(bigtable.ChainFilters(bigtable.RowSampleFilter(0.1), bigtable.FamilyFilter(c.lay.Point), clockRange(c.lay.Keep), bigtable.CellsPerRowLimitFilter(100)))) // ok ttlread/limit-before-filter
	err := t.Tables.Metrics.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool {                                                                                                   // ok ttlread/missing-filter
		for _, it := range r[c.lay.Point] {
			total.add(float(it.Value))
		}
		return true
	}, opts...)
	return total.sum, err
}

func clockRange(keep time.Duration) bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Now().Add(-keep), time.Time{})
}

// Cursors makes the cursors of a group small: one version of each.
func Cursors(ctx context.Context, t *store.Tenant, group string) error {
	var failed error
	err := t.Tables.State.ReadRows(ctx, bigtable.PrefixRange(group+"#"), func(r bigtable.Row) bool { // ok ttlread/version-limit
		mut := bigtable.NewMutation()
		for _, it := range r["cursor"] {
			col := strings.TrimPrefix(it.Column, "cursor:")
			mut.DeleteCellsInColumn("cursor", col)
			mut.Set("cursor", col, it.Timestamp, it.Value) // ok ttlwrite/unscaled-sequence
		}
		failed = t.Tables.State.Apply(ctx, r.Key(), mut)
		return failed == nil
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("cursor"), bigtable.LatestNFilter(1))))
	if err != nil {
		return err
	}
	return failed
}

// Renumber gives cursors new numbers, in the order of their rows.
func Renumber(ctx context.Context, t *store.Tenant, group string) error {
	n := 0
	var failed error
	err := t.Tables.State.ReadRows(ctx, bigtable.PrefixRange(group+"#"), func(r bigtable.Row) bool { // ok ttlread/version-limit
		n++
		mut := bigtable.NewMutation()
		for _, it := range r["cursor"] {
			mut.Set("cursor", column(it)+"-rank", bigtable.Timestamp(n), it.Value) // want ttlwrite/unscaled-sequence
			mut.Set("cursor", column(it)+"-no", clock.Seq(int64(n)), it.Value)     // ok ttlwrite/unscaled-sequence
		}
		failed = t.Tables.State.Apply(ctx, r.Key(), mut)
		return failed == nil
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("cursor"), bigtable.ColumnFilter("offset"), bigtable.LatestNFilter(1))))
	if err != nil {
		return err
	}
	return failed
}

// Checkpoint remembers how far the compaction came.
func Checkpoint(ctx context.Context, t *store.Tenant, at string) error {
	mut := bigtable.NewMutation()
	mut.Set("cursor", "compaction", clock.Stamp(), []byte(at)) // want ttlwrite/clock-in-sequence
	mut.Set("meta", "compaction", clock.Stamp(), []byte(at))   // ok ttlwrite/clock-in-zero
	return t.Tables.State.Apply(ctx, "compaction", mut)
}

// Head writes the ledger's head anew: its last entry's number.
func Head(ctx context.Context, t *store.Tenant, account string) error {
	row, err := t.Tables.Ledger.ReadRow(ctx, account, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("entry"), bigtable.ColumnFilter("doc"), bigtable.LatestNFilter(1)))) // ok ttlread/version-limit
	if err != nil {
		return err
	}
	for _, it := range row["entry"] {
		mut := bigtable.NewMutation()
		mut.Set("head", "last", 0, []byte(fmt.Sprint(int64(it.Timestamp)/1000))) // ok ttlwrite/clock-in-zero
		mut.Set("head", "folded", bigtable.Now(), []byte(it.Column))             // want ttlwrite/clock-in-zero
		return t.Tables.Ledger.Apply(ctx, account, mut)
	}
	return nil
}

func float(b []byte) float64 {
	if len(b) < 8 {
		return 0
	}
	return math.Float64frombits(binary.BigEndian.Uint64(b))
}

func bytes(f float64) []byte {
	return binary.BigEndian.AppendUint64(nil, math.Float64bits(f))
}
