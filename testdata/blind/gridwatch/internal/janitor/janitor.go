// Package janitor does what has to be done now and then: every chore waits for its
// tick, reads what it needs and hands the rest to the next stage.
package janitor

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"
	btpb "cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"golang.org/x/sync/errgroup"

	"example.com/gridwatch/internal/bus"
	"example.com/gridwatch/internal/retry"
	"example.com/gridwatch/internal/store"
)

// coarse is the time to a second; a goroutine keeps it fresh.
var (
	coarseMu sync.RWMutex
	coarse   = time.Now()
)

func coarseNow() time.Time {
	coarseMu.RLock()
	defer coarseMu.RUnlock()
	return coarse
}

// KeepTime refreshes the coarse clock until ctx ends.
func KeepTime(ctx context.Context) {
	for now := range bus.Tick(ctx, time.Second) {
		coarseMu.Lock()
		coarse = now
		coarseMu.Unlock()
	}
}

// Chore is one thing to do at every tick.
type Chore struct {
	Name  string
	Every time.Duration
	Do    func(ctx context.Context) error
}

// Janitor runs chores.
type Janitor struct {
	tables *store.Tables
	raw    btpb.BigtableClient
	keys   chan string
}

// New returns a janitor.
func New(t *store.Tables, raw btpb.BigtableClient) *Janitor {
	return &Janitor{tables: t, raw: raw, keys: make(chan string, 256)}
}

// Chores lists what there is to do.
func (j *Janitor) Chores() []Chore {
	return []Chore{
		{"drop dead tokens", time.Hour, j.DropDead},
		{"list dead tokens", time.Hour, j.ListDead},
		{"list recent tokens", time.Minute, j.ListRecent},
		{"size", 10 * time.Minute, j.Size},
		{"copy samples", 24 * time.Hour, j.Copy},
	}
}

// Run runs every chore in a goroutine of its own.
func (j *Janitor) Run(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	for _, c := range j.Chores() {
		g.Go(func() error {
			for range bus.Tick(ctx, c.Every) {
				if err := retry.Do(ctx, retry.Default, c.Do); err != nil {
					slog.WarnContext(ctx, "chore failed", "chore", c.Name, "err", err)
				}
			}
			return ctx.Err()
		})
	}
	return g.Wait()
}

// DropDead deletes rows with dead tokens; that is what the bound is for.
func (j *Janitor) DropDead(ctx context.Context) error {
	dead := bigtable.ChainFilters(bigtable.FamilyFilter(store.FamToken), bigtable.TimestampRangeFilter(time.Time{}, time.Now()))
	return j.tables.Sessions.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/expired-only
		mut := bigtable.NewMutation()
		mut.DeleteRow()
		return j.tables.Sessions.Apply(ctx, row.Key(), mut) == nil
	}, bigtable.RowFilter(dead))
}

// ListDead was meant to list the live ones.
func (j *Janitor) ListDead(ctx context.Context) error {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(store.FamToken), bigtable.TimestampRangeFilter(time.Time{}, time.Now()), bigtable.StripValueFilter()) // want ttlread/expired-only[listdead]
	return j.tables.Sessions.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {                                                       // want ttlread/expired-only[listdead]
		j.keys <- row.Key()
		return true
	}, bigtable.RowFilter(f)) // want ttlread/expired-only[listdead]
}

// ListRecent lists devices that logged in of late, or so it says.
func (j *Janitor) ListRecent(ctx context.Context) error {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(store.FamToken), store.Within(time.Hour))       // want ttlread/wrong-bound[listrecent]
	return j.tables.Sessions.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/wrong-bound[listrecent]
		j.keys <- row.Key()
		return true
	}, bigtable.RowFilter(f)) // want ttlread/wrong-bound[listrecent]
}

// ListAll lists all rows.
func (j *Janitor) ListAll(ctx context.Context) error {
	return j.tables.Sessions.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		j.keys <- row.Key()
		return true
	}, bigtable.RowFilter(bigtable.StripValueFilter()))
}

// Size counts rows of two tables.
func (j *Janitor) Size(ctx context.Context) error {
	var firing, samples int
	count := func(n *int) func(bigtable.Row) bool {
		return func(bigtable.Row) bool { *n++; return true }
	}
	if err := j.tables.Alerts.ReadRows(ctx, bigtable.InfiniteRange(""), count(&firing), bigtable.RowFilter(bigtable.CellsPerRowLimitFilter(1))); err != nil { // ok ttlread/missing-filter
		return err
	}
	if err := j.tables.Telemetry.ReadRows(ctx, bigtable.InfiniteRange(""), count(&samples), bigtable.RowFilter(bigtable.CellsPerRowLimitFilter(1))); err != nil { // ok ttlread/missing-filter
		return err
	}
	slog.InfoContext(ctx, "size", "alerts", firing, "telemetry", samples)
	return nil
}

// Copy hands whole rows of the last week to whoever wants them.
func (j *Janitor) Copy(ctx context.Context) error {
	rows := make(chan bigtable.Row)
	done := make(chan int)
	go func() {
		n := 0
		for row := range rows {
			for fam, items := range row {
				slog.DebugContext(ctx, "copy", "row", row.Key(), "family", fam, "cells", len(items))
				n += len(items)
			}
		}
		done <- n
	}()
	err := j.tables.Telemetry.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/hides-other-families[copy]
		rows <- row
		return true
	}, bigtable.RowFilter(store.Within(store.RawTTL))) // want ttlread/hides-other-families[copy]
	close(rows)
	slog.InfoContext(ctx, "copied", "cells", <-done)
	return err
}

// CopyRaw uses the raw samples only.
func (j *Janitor) CopyRaw(ctx context.Context, out chan<- []byte) error {
	return j.tables.Telemetry.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/hides-other-families
		for _, it := range row[store.FamRaw] {
			out <- it.Value
		}
		return true
	}, bigtable.RowFilter(store.Within(store.RawTTL)))
}

// Options has a filter too many.
func (j *Janitor) Options(ctx context.Context, prefix string, out chan<- string) error {
	opts := []bigtable.ReadOption{bigtable.RowFilter(bigtable.FamilyFilter(store.FamDaily))}
	opts = append(opts, bigtable.LimitRows(100), bigtable.RowFilter(bigtable.LatestNFilter(1)))     // want ttlread/overridden-filter[options]
	return j.tables.Usage.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // want ttlread/overridden-filter[options]
		out <- row.Key()
		return true
	}, opts...) // want ttlread/overridden-filter[options]
}

// OptionsChained has one.
func (j *Janitor) OptionsChained(ctx context.Context, prefix string, out chan<- string) error {
	opts := []bigtable.ReadOption{bigtable.LimitRows(100)}
	opts = append(opts, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(store.FamDaily), bigtable.LatestNFilter(1))))
	return j.tables.Usage.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // ok ttlread/overridden-filter
		out <- row.Key()
		return true
	}, opts...)
}

// Coarse reads and writes by the coarse clock, which somebody refreshes.
func (j *Janitor) Coarse(ctx context.Context, key string) (bool, error) {
	row, err := j.tables.Dedup.ReadRow(ctx, key, bigtable.RowFilter(bigtable.TimestampRangeFilter(coarseNow(), time.Time{}))) // ok ttlread/stale-bound
	if err != nil || len(row) > 0 {
		return false, err
	}
	mut := bigtable.NewMutation()
	mut.Set(store.FamSeen, "coarse", bigtable.Time(coarseNow().Add(store.SeenTTL)), []byte("1")) // ok ttlwrite/stale-clock
	return true, j.tables.Dedup.Apply(ctx, key, mut)
}

// Batch marks many keys with the clock reading of one request.
type Batch struct {
	tbl *bigtable.Table
	at  time.Time
}

// NewBatch starts a batch.
func (j *Janitor) NewBatch() *Batch {
	return &Batch{tbl: j.tables.Dedup, at: time.Now()}
}

// Mark marks one key unless it is marked.
func (b *Batch) Mark(ctx context.Context, key string) error {
	row, err := b.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.TimestampRangeFilter(b.at, time.Time{}))) // ok ttlread/stale-bound
	if err != nil || len(row) > 0 {
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set(store.FamSeen, "batch", bigtable.Time(b.at.Add(store.SeenTTL)), []byte("1")) // ok ttlwrite/stale-clock
	return b.tbl.Apply(ctx, key, mut)
}

func sample(name string) *btpb.RowFilter {
	return &btpb.RowFilter{Filter: &btpb.RowFilter_FamilyNameRegexFilter{FamilyNameRegexFilter: name}}
}

// Block marks the profile of a device that has a token.
func (j *Janitor) Block(ctx context.Context, table, device string) error {
	ts := time.Now().UnixMilli() * 1000
	set := &btpb.Mutation_SetCell{FamilyName: store.FamProfile, ColumnQualifier: []byte("blocked"), TimestampMicros: ts, Value: []byte("1")}
	req := &btpb.CheckAndMutateRowRequest{TableName: table, RowKey: []byte(device)} // want ttlread/conditional-mutation[block]
	req.PredicateFilter = sample(store.FamToken)                                    // want ttlread/conditional-mutation[block]
	req.TrueMutations = []*btpb.Mutation{{Mutation: &btpb.Mutation_SetCell_{SetCell: set}}}
	_, err := j.raw.CheckAndMutateRow(ctx, req) // want ttlread/conditional-mutation[block]
	return err
}

// Unblock deletes, whatever the token is.
func (j *Janitor) Unblock(ctx context.Context, table, device string) error {
	del := &btpb.Mutation_DeleteFromFamily{FamilyName: store.FamToken}
	_, err := j.raw.CheckAndMutateRow(ctx, &btpb.CheckAndMutateRowRequest{ // ok ttlread/conditional-mutation
		TableName:       table,
		RowKey:          []byte(device),
		PredicateFilter: sample(store.FamToken),
		TrueMutations:   []*btpb.Mutation{{Mutation: &btpb.Mutation_DeleteFromFamily_{DeleteFromFamily: del}}},
	})
	return err
}
