// Package budget keeps the spend of campaigns in one ledger table per market.
package budget

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"adcap.example/platform/internal/bt"
	"adcap.example/platform/internal/filters"
	"adcap.example/platform/internal/mutate"
	"adcap.example/platform/internal/schema"
)

// ErrOverspent is returned when a hold would exceed the limit.
var ErrOverspent = errors.New("budget: overspent")

// Ledger is the table of one market.
type Ledger struct {
	tbl    bt.Table
	market string
	pos    int64
	cursor struct{ last, step int64 }
}

// Open opens the ledger of a market.
func Open(c *bigtable.Client, market string) *Ledger {
	return &Ledger{tbl: c.Open(market + schema.BudgetSuffix), market: market}
}

// New wraps a table.
func New(tbl bt.Table) *Ledger { return &Ledger{tbl: tbl} }

// Line is one ledger line.
type Line struct {
	Campaign string
	Seq      int64
	Micros   int64
}

// Append writes a line with its number.
func (l *Ledger) Append(ctx context.Context, ln Line) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamEntry, ln.Campaign, mutate.Seq(ln.Seq), mutate.Int(ln.Micros)) // ok ttlwrite/unscaled-sequence ttlwrite/clock-in-sequence
	return l.tbl.Apply(ctx, ln.Campaign, m)
}

// AppendNext numbers the line itself.
func (l *Ledger) AppendNext(ctx context.Context, ln Line) error {
	l.pos++
	m := bigtable.NewMutation()
	m.Set(schema.FamEntry, ln.Campaign, bigtable.Timestamp(l.pos), mutate.Int(ln.Micros)) // want ttlwrite/unscaled-sequence
	return l.tbl.Apply(ctx, ln.Campaign, m)
}

// AppendScaled does the same with the scale.
func (l *Ledger) AppendScaled(ctx context.Context, ln Line) error {
	l.pos++
	m := bigtable.NewMutation()
	m.Set(schema.FamEntry, ln.Campaign, bigtable.Timestamp(l.pos*1000), mutate.Int(ln.Micros)) // ok ttlwrite/unscaled-sequence
	return l.tbl.Apply(ctx, ln.Campaign, m)
}

// AppendStep uses the nested cursor.
func (l *Ledger) AppendStep(ctx context.Context, lines []Line) error {
	for _, ln := range lines {
		l.cursor.last++
		l.cursor.step += 1000
		m := bigtable.NewMutation()
		m.Set(schema.FamEntry, ln.Campaign, bigtable.Timestamp(l.cursor.last), mutate.Int(ln.Micros))      // want ttlwrite/unscaled-sequence
		m.Set(schema.FamEntry, ln.Campaign+"/s", bigtable.Timestamp(l.cursor.step), mutate.Int(ln.Micros)) // ok ttlwrite/unscaled-sequence
		if err := l.tbl.Apply(ctx, ln.Campaign, m); err != nil {
			return err
		}
	}
	return nil
}

// AppendTimed writes at the time of the line.
func (l *Ledger) AppendTimed(ctx context.Context, ln Line, at time.Time) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamEntry, ln.Campaign, bigtable.Time(at), mutate.Int(ln.Micros)) // want ttlwrite/clock-in-sequence
	return l.tbl.Apply(ctx, ln.Campaign, m)
}

// AppendMilli uses the clock as a counter.
func (l *Ledger) AppendMilli(ctx context.Context, ln Line) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamEntry, ln.Campaign, bigtable.Timestamp(time.Now().UnixMilli()*1000), mutate.Int(ln.Micros)) // want ttlwrite/clock-in-sequence
	m.Set(schema.FamEntry, ln.Campaign+"/b", mutate.NowTS(), mutate.Int(ln.Micros))                             // want ttlwrite/clock-in-sequence
	return l.tbl.Apply(ctx, ln.Campaign, m)
}

// AppendUnix makes a time of a number, and a timestamp of the time.
func (l *Ledger) AppendUnix(ctx context.Context, ln Line) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamEntry, ln.Campaign, bigtable.Time(time.UnixMilli(ln.Seq)), mutate.Int(ln.Micros)) // ok ttlwrite/clock-in-sequence
	return l.tbl.Apply(ctx, ln.Campaign, m)
}

// Spend increments the entry.
func (l *Ledger) Spend(ctx context.Context, campaign string, micros int64) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamEntry, campaign, micros) // want ttlwrite/read-modify-write
	_, err := l.tbl.ApplyReadModifyWrite(ctx, campaign, rmw)
	return err
}

// SetLimit writes the limit at zero.
func (l *Ledger) SetLimit(ctx context.Context, campaign string, micros int64) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamLimit, "daily", 0, mutate.Int(micros)) // ok ttlwrite/clock-in-zero
	return l.tbl.Apply(ctx, campaign, m)
}

// SetLimitNow writes it with the clock.
func (l *Ledger) SetLimitNow(ctx context.Context, campaign string, micros int64) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamLimit, "daily", bigtable.Now(), mutate.Int(micros)) // want ttlwrite/clock-in-zero
	return l.tbl.Apply(ctx, campaign, m)
}

// RaiseLimit increments the limit.
func (l *Ledger) RaiseLimit(ctx context.Context, campaign string, micros int64) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamLimit, "daily", micros) // want ttlwrite/read-modify-write
	_, err := l.tbl.ApplyReadModifyWrite(ctx, campaign, rmw)
	return err
}

// Hold reserves an amount for ten minutes.
func (l *Ledger) Hold(ctx context.Context, campaign, id string, micros int64) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamHold, id, mutate.Until(time.Now(), schema.HoldLifetime), mutate.Int(micros)) // ok ttlwrite/write-time
	return l.tbl.Apply(ctx, campaign, m)
}

// HoldQuick forgets the lifetime.
func (l *Ledger) HoldQuick(ctx context.Context, campaign, id string, micros int64) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamHold, id, mutate.Until(time.Now(), 0), mutate.Int(micros)) // want ttlwrite/write-time
	return l.tbl.Apply(ctx, campaign, m)
}

// HoldServer uses the server's clock.
func (l *Ledger) HoldServer(ctx context.Context, campaign, id string, micros int64) error {
	m := bigtable.NewMutation()
	mutate.Put(m, schema.FamHold, id, bigtable.ServerTime, mutate.Int(micros)) // want ttlwrite/server-timestamp
	return l.tbl.Apply(ctx, campaign, m)
}

// HoldMany reserves for several campaigns in one bulk call.
func (l *Ledger) HoldMany(ctx context.Context, id string, amounts map[string]int64) error {
	ts := mutate.Until(time.Now(), schema.HoldLifetime)
	var keys []string
	var muts []*bigtable.Mutation
	for campaign, micros := range amounts {
		m := bigtable.NewMutation()
		m.Set(schema.FamHold, id, ts, mutate.Int(micros)) // ok ttlwrite/write-time ttlwrite/same-timestamp
		keys, muts = append(keys, campaign), append(muts, m)
	}
	errs, err := l.tbl.ApplyBulk(ctx, keys, muts)
	return errors.Join(append(errs, err)...)
}

// HoldSame accumulates into one mutation by mistake.
func (l *Ledger) HoldSame(ctx context.Context, campaign string, amounts []int64) error {
	ts := mutate.Until(time.Now(), schema.HoldLifetime)
	m := bigtable.NewMutation()
	for _, micros := range amounts {
		m.Set(schema.FamHold, "pending", ts, mutate.Int(micros)) // want ttlwrite/same-timestamp
	}
	return l.tbl.Apply(ctx, campaign, m)
}

// HoldEach uses a column for each.
func (l *Ledger) HoldEach(ctx context.Context, campaign string, amounts map[string]int64) error {
	ts := mutate.Until(time.Now(), schema.HoldLifetime)
	m := bigtable.NewMutation()
	for id, micros := range amounts {
		m.Set(schema.FamHold, id, ts, mutate.Int(micros)) // ok ttlwrite/same-timestamp
	}
	return l.tbl.Apply(ctx, campaign, m)
}

// Balance adds up what is held and spent.
func (l *Ledger) Balance(ctx context.Context, campaign string) (held, spent int64, err error) {
	f := bigtable.InterleaveFilters(filters.LiveFamily(schema.FamHold, time.Now()), filters.Versions(schema.FamEntry, schema.EntryVersions))
	row, err := l.tbl.ReadRow(ctx, campaign, bigtable.RowFilter(f)) // ok ttlread/missing-filter ttlread/version-limit
	if err != nil {
		return 0, 0, err
	}
	held, spent = sum(row, schema.FamHold), sum(row, schema.FamEntry)
	return held, spent, nil
}

func sum(row bigtable.Row, family string) (n int64) {
	for _, it := range row[family] {
		n += mutate.ParseInt(it.Value)
	}
	return n
}

// BalanceOld was right before holds existed.
func (l *Ledger) BalanceOld(ctx context.Context, campaign string) (int64, error) {
	row, err := l.tbl.ReadRow(ctx, campaign, bigtable.RowFilter(bigtable.LatestNFilter(3))) // want ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	return sum(row, schema.FamEntry) - sum(row, schema.FamHold), nil
}

// Spent reads only the entries.
func (l *Ledger) Spent(ctx context.Context, campaign string) (int64, error) {
	row, err := l.tbl.ReadRow(ctx, campaign, bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/missing-filter ttlread/version-limit
	if err != nil {
		return 0, err
	}
	return sum(row, schema.FamEntry), nil
}

// SpentAll reads the entries without any filter.
func (l *Ledger) SpentAll(ctx context.Context, campaign string) (int64, error) {
	row, err := l.tbl.ReadRow(ctx, campaign) // want ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	return sum(row, schema.FamEntry), nil
}

// SpentToday bounds the entries by time.
func (l *Ledger) SpentToday(ctx context.Context, campaign string) (int64, error) {
	midnight := time.Now().Truncate(24 * time.Hour)
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamEntry), bigtable.TimestampRangeFilter(midnight, time.Time{})) // want ttlread/wrong-bound[spenttoday]
	row, err := l.tbl.ReadRow(ctx, campaign, bigtable.RowFilter(f))                                                          // want ttlread/wrong-bound[spenttoday]
	if err != nil {
		return 0, err
	}
	return sum(row, schema.FamEntry), nil
}

// Limit reads the limit at zero.
func (l *Ledger) Limit(ctx context.Context, campaign string) (int64, error) {
	row, err := l.tbl.ReadRow(ctx, campaign, bigtable.RowFilter(bigtable.FamilyFilter(schema.FamLimit))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	return sum(row, schema.FamLimit), nil
}

// Exists asks for a campaign that has entries.
func (l *Ledger) Exists(ctx context.Context, campaign string) (bool, error) {
	row, err := l.tbl.ReadRow(ctx, campaign, bigtable.RowFilter(bigtable.FamilyFilter(schema.FamEntry))) // ok ttlread/version-limit ttlread/missing-filter
	return len(row) > 0, err
}

// Outstanding scans all holds.
func (l *Ledger) Outstanding(ctx context.Context) (map[string]int64, error) {
	out := map[string]int64{}
	err := l.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // want ttlread/missing-filter[outstanding]
		out[r.Key()] = sum(r, schema.FamHold)
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(schema.FamHold))) // want ttlread/missing-filter[outstanding]
	if err != nil {
		return nil, fmt.Errorf("outstanding in %s: %w", l.market, err)
	}
	return out, nil
}

// OutstandingLive scans the live ones.
func (l *Ledger) OutstandingLive(ctx context.Context) (map[string]int64, error) {
	out := map[string]int64{}
	live := filters.For(schema.FamHold).From(time.Now()).Option()
	err := l.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		out[r.Key()] = sum(r, schema.FamHold)
		return true
	}, live)
	return out, err
}

// OutstandingChecked compares in the callback.
func (l *Ledger) OutstandingChecked(ctx context.Context) (map[string]int64, error) {
	out := map[string]int64{}
	now := bigtable.Now()
	err := l.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range r[schema.FamHold] {
			if it.Timestamp < now {
				continue
			}
			out[r.Key()] += mutate.ParseInt(it.Value)
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(schema.FamHold)))
	return out, err
}
