package store

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/paywell/clock"
	"example.com/paywell/domain"
)

// startedAt is when the program was started.
var startedAt = time.Now() // want ttlread/stale-bound[boot] ttlwrite/stale-clock[usageboot]

// Usage counts what accounts use: per minute for three days in win, sums
// for ever in agg.
type Usage struct {
	tbl bigtable.TableAPI
	clk clock.Clock
}

// NewUsage returns a store on tbl.
func NewUsage(tbl bigtable.TableAPI, clk clock.Clock) *Usage {
	return &Usage{tbl: tbl, clk: clk}
}

// Event is one use.
type Event struct {
	Account string
	Metric  string
	Count   int64
	At      time.Time
}

func minute(t time.Time) string { return t.UTC().Format("200601021504") }

// Record stores uses as they happened.
func (u *Usage) Record(ctx context.Context, events []Event) error {
	keys := make([]string, 0, len(events))
	muts := make([]*bigtable.Mutation, 0, len(events))
	for _, e := range events {
		mut := bigtable.NewMutation()
		mut.Set(FamWin, e.Metric, bigtable.Time(e.At), encode(e.Count))                     // ok ttlwrite/already-expired
		mut.Set(FamAgg, "last:"+e.Metric, bigtable.Time(u.clk.Now()), []byte(minute(e.At))) // ok ttlwrite/write-time
		keys, muts = append(keys, e.Account+"#"+minute(e.At)), append(muts, mut)
	}
	errs, err := u.tbl.ApplyBulk(ctx, keys, muts)
	if err != nil {
		return err
	}
	for i, err := range errs {
		if err != nil {
			return fmt.Errorf("record %s: %w", keys[i], err)
		}
	}
	return nil
}

// RecordBooted stores a use at the time the program was started.
func (u *Usage) RecordBooted(ctx context.Context, account, metric string) error {
	mut := bigtable.NewMutation()
	mut.Set(FamWin, metric, bigtable.Time(startedAt), []byte("1")) // want ttlwrite/stale-clock[usageboot]
	mut.Set(FamAgg, "booted", bigtable.Time(startedAt), nil)       // ok ttlwrite/stale-clock
	return u.tbl.Apply(ctx, account, mut)
}

// Correct stores a use of an old period.
func (u *Usage) Correct(ctx context.Context, account, metric string, n int64) error {
	mut := bigtable.NewMutation()
	mut.Set(FamWin, metric, bigtable.Time(u.clk.Now().AddDate(0, 0, -3)), encode(n)) // want ttlwrite/already-expired
	return u.tbl.Apply(ctx, account, mut)
}

// CorrectRecent stores a use of yesterday.
func (u *Usage) CorrectRecent(ctx context.Context, account, metric string, n int64) error {
	mut := bigtable.NewMutation()
	mut.Set(FamWin, metric, bigtable.Time(u.clk.Now().AddDate(0, 0, -1)), encode(n)) // ok ttlwrite/already-expired
	return u.tbl.Apply(ctx, account, mut)
}

// Keep stores a use for two weeks.
func (u *Usage) Keep(ctx context.Context, account, metric string, n int64) error {
	mut := bigtable.NewMutation()
	mut.Set(FamWin, metric, adjusted(u.clk, domain.UsageWindow, 14*24*time.Hour), encode(n)) // ok ttlwrite/wrong-base
	return u.tbl.Apply(ctx, account, mut)
}

// Sum adds to a sum.
func (u *Usage) Sum(ctx context.Context, account, metric string, n int64) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(FamAgg, metric, n)        // ok ttlwrite/read-modify-write
	rmw.Increment(FamWin, "sum:"+metric, n) // ok ttlwrite/read-modify-write
	_, err := u.tbl.ApplyReadModifyWrite(ctx, account, rmw)
	return err
}

// AddTo adds to an aggregate.
func (u *Usage) AddTo(ctx context.Context, account, metric string, n int64) error {
	mut := bigtable.NewMutation()
	mut.AddIntToCell(FamAgg, metric, bigtable.ServerTime, n) // want ttlwrite/aggregate-server-time
	mut.AddIntToCell(FamAgg, metric, 0, n)                   // ok ttlwrite/aggregate-server-time
	return u.tbl.Apply(ctx, account, mut)
}

// Window reads the uses of three days.
func (u *Usage) Window(ctx context.Context, account string) (map[string]int64, error) {
	return u.window(ctx, account, bigtable.ChainFilters( // ok ttlread/wrong-bound
		bigtable.FamilyFilter(FamWin),
		younger(u.clk.Now(), domain.UsageWindow),
	))
}

// Today reads the uses of a day.
func (u *Usage) Today(ctx context.Context, account string) (map[string]int64, error) {
	return u.window(ctx, account, bigtable.ChainFilters( // want ttlread/wrong-bound[today]
		bigtable.FamilyFilter(FamWin),
		younger(u.clk.Now(), 24*time.Hour), // want ttlread/wrong-bound[today]
	))
}

// Everything reads whatever is there.
func (u *Usage) Everything(ctx context.Context, account string) (map[string]int64, error) {
	return u.window(ctx, account, bigtable.FamilyFilter(FamWin)) // want ttlread/missing-filter
}

// SinceBoot reads the uses of three days before the program was started.
func (u *Usage) SinceBoot(ctx context.Context, account string) (map[string]int64, error) {
	return u.window(ctx, account, bigtable.ChainFilters( // want ttlread/stale-bound[boot]
		bigtable.FamilyFilter(FamWin),
		younger(startedAt, domain.UsageWindow), // want ttlread/stale-bound[boot]
	))
}

func (u *Usage) window(ctx context.Context, account string, f bigtable.Filter) (map[string]int64, error) {
	sums := make(map[string]int64)
	var bad error
	err := u.tbl.ReadRows(ctx, bigtable.PrefixRange(account+"#"), func(row bigtable.Row) bool {
		for _, item := range row[FamWin] {
			n, err := decode[int64](item)
			if err != nil {
				bad = err
				return false
			}
			sums[column(item)] += n
		}
		return true
	}, bigtable.RowFilter(f))
	if bad != nil {
		return nil, bad
	}
	return sums, err
}

// Sums reads the sums.
func (u *Usage) Sums(ctx context.Context, account string) (bigtable.Row, error) {
	return u.tbl.ReadRow(ctx, account, bigtable.RowFilter(bigtable.FamilyFilter(FamAgg))) // ok ttlread/missing-filter
}

// Row reads a row for the support desk.
func (u *Usage) Row(ctx context.Context, account string) (bigtable.Row, error) {
	return u.tbl.ReadRow(ctx, account) // want ttlread/missing-filter
}

// Firsts reads the newest cells of a row, old or not.
func (u *Usage) Firsts(ctx context.Context, account string) ([]string, error) {
	row, err := u.tbl.ReadRow(ctx, account, bigtable.RowFilter(bigtable.ChainFilters( // want ttlread/limit-before-filter[firsts]
		bigtable.FamilyFilter(FamWin),
		bigtable.CellsPerRowOffsetFilter(1), // want ttlread/limit-before-filter[firsts]
		younger(u.clk.Now(), domain.UsageWindow),
	)))
	if err != nil {
		return nil, err
	}
	var out []string
	for _, item := range row[FamWin] {
		out = append(out, column(item))
	}
	return out, nil
}

// Recorded is when a metric was recorded last.
func (u *Usage) Recorded(ctx context.Context, account, metric string) (at time.Time, err error) {
	row, err := u.tbl.ReadRow(ctx, account, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(FamWin),
		younger(u.clk.Now(), domain.UsageWindow),
	)))
	if err != nil {
		return time.Time{}, err
	}
	var lastWritten time.Time
	for _, item := range row[FamWin] {
		if column(item) == metric {
			lastWritten = item.Timestamp.Time() // want ttlage/not-write-time
		}
	}
	return lastWritten, nil
}
