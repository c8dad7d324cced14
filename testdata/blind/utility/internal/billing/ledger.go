// Package billing keeps one ledger a region: numbered entries and holds that
// expire.
package billing

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	bm "nordkraft.example/grid/internal/btmodel"
	"nordkraft.example/grid/internal/btrt"
)

// Ledger is a region's ledger.
type Ledger struct {
	tbl    *bigtable.Table
	region string
	seq    int64
}

// Open opens the ledger of a region.
func Open(c *bigtable.Client, region string) *Ledger {
	return &Ledger{tbl: c.Open(region + "-ledger"), region: region}
}

// OpenTable wraps a table that is open already.
func OpenTable(t *bigtable.Table, region string) *Ledger { return &Ledger{tbl: t, region: region} }

// Write writes one entry at a timestamp the caller makes.
func (l *Ledger) Write(ctx context.Context, acct string, e *bm.LedgerEntry, ts bigtable.Timestamp) error {
	m := bigtable.NewMutation()
	e.Marshal(m, ts) // ok ttlwrite/clock-in-sequence
	return btrt.Wrap(l.region+".entry", l.tbl.Apply(ctx, acct, m))
}

// Post writes the next entry.
func (l *Ledger) Post(ctx context.Context, acct string, ore int64, ref string) error {
	l.seq++
	return l.Write(ctx, acct, &bm.LedgerEntry{Ore: ore, Ref: ref}, bigtable.Timestamp(l.seq)) // want ttlwrite/unscaled-sequence
}

// PostAt writes entry n.
func (l *Ledger) PostAt(ctx context.Context, acct string, n, ore int64) error {
	return l.Write(ctx, acct, &bm.LedgerEntry{Ore: ore}, btrt.Seq(n)) // ok ttlwrite/unscaled-sequence
}

// Reverse posts the opposite.
func (l *Ledger) Reverse(ctx context.Context, acct string, e *bm.LedgerEntry) error {
	return l.Write(ctx, acct, &bm.LedgerEntry{Ore: -e.Ore, Ref: "reversal"}, bigtable.Now()) // want ttlwrite/clock-in-sequence
}

// ReverseNext posts the opposite as the entry after it.
func (l *Ledger) ReverseNext(ctx context.Context, acct string, e *bm.LedgerEntry) error {
	return l.Write(ctx, acct, &bm.LedgerEntry{Ore: -e.Ore, Ref: "reversal"}, bigtable.Timestamp((e.Number+1)*1000)) // ok ttlwrite/unscaled-sequence
}

// Hold reserves an amount.
func (l *Ledger) Hold(ctx context.Context, acct string, ore int64, why string) error {
	m := bigtable.NewMutation()
	h := bm.LedgerHold{Ore: ore, Why: why}
	h.Marshal(m, btrt.Expiry(bm.LedgerHoldTTL)) // ok ttlwrite/write-time
	return l.tbl.Apply(ctx, acct, m)
}

// HoldBulk reserves the same amount on many accounts.
func (l *Ledger) HoldBulk(ctx context.Context, accts []string, ore int64) error {
	muts := make([]*bigtable.Mutation, 0, len(accts))
	now := time.Now()
	for range accts {
		m := bigtable.NewMutation()
		h := bm.LedgerHold{Ore: ore, Why: "bulk"}
		h.Marshal(m, bigtable.Time(now)) // want ttlwrite/write-time
		muts = append(muts, m)
	}
	errs, err := l.tbl.ApplyBulk(ctx, accts, muts)
	for i, e := range errs {
		if e != nil {
			return fmt.Errorf("%s: %w", accts[i], e)
		}
	}
	return err
}

// AddHold raises a hold.
func (l *Ledger) AddHold(ctx context.Context, acct string, ore int64) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(bm.LedgerFamilyHold, bm.LedgerColHoldOre, ore) // want ttlwrite/read-modify-write
	_, err := l.tbl.ApplyReadModifyWrite(ctx, acct, rmw)
	return err
}

// AddEntry adds to the newest entry.
func (l *Ledger) AddEntry(ctx context.Context, acct string, ore int64) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(bm.LedgerFamilyEntry, bm.LedgerColEntryOre, ore) // want ttlwrite/read-modify-write
	_, err := l.tbl.ApplyReadModifyWrite(ctx, acct, rmw)
	return err
}

// SetInfo writes who the customer is.
func (l *Ledger) SetInfo(ctx context.Context, acct string, i *bm.LedgerInfo) error {
	m := bigtable.NewMutation()
	i.Marshal(m, bigtable.Now()) // ok ttlwrite/write-time
	return l.tbl.Apply(ctx, acct, m)
}

// Account is what a statement needs.
type Account struct {
	Last bm.LedgerEntry
	Held bm.LedgerHold
	Info bm.LedgerInfo
}

// Read reads an account.
func (l *Ledger) Read(ctx context.Context, acct string) (*Account, error) {
	row, err := l.tbl.ReadRow(ctx, acct) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	a := new(Account)
	a.Last.Unmarshal(row)
	a.Held.Unmarshal(row)
	a.Info.Unmarshal(row)
	return a, nil
}

// ReadLive reads an account as it stands.
func (l *Ledger) ReadLive(ctx context.Context, acct string) (*Account, error) {
	f := bigtable.InterleaveFilters( // ok ttlread/unfiltered-branch
		btrt.Family(bm.LedgerFamilyEntry, bigtable.LatestNFilter(1)),
		btrt.Family(bm.LedgerFamilyHold, btrt.Live()),
		btrt.Family(bm.LedgerFamilyInfo, nil),
	)
	row, err := l.tbl.ReadRow(ctx, acct, bigtable.RowFilter(f)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	a := new(Account)
	a.Last.Unmarshal(row)
	a.Held.Unmarshal(row)
	a.Info.Unmarshal(row)
	return a, nil
}

// Entries reads the n newest entries.
func (l *Ledger) Entries(ctx context.Context, acct string, n int) ([]bigtable.ReadItem, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(bm.LedgerFamilyEntry), bigtable.LatestNFilter(n)) // ok ttlread/version-limit
	row, err := l.tbl.ReadRow(ctx, acct, bigtable.RowFilter(f))                                        // ok ttlread/version-limit
	return row[bm.LedgerFamilyEntry], err
}

// Statement reads a quarter's entries.
func (l *Ledger) Statement(ctx context.Context, acct string) ([]bigtable.ReadItem, error) {
	return l.Entries(ctx, acct, 90) // want ttlread/version-limit
}

// Recent reads what is kept.
func (l *Ledger) Recent(ctx context.Context, acct string) ([]bigtable.ReadItem, error) {
	return l.Entries(ctx, acct, 3) // ok ttlread/version-limit
}

// SinceMidnight reads today's entries.
func (l *Ledger) SinceMidnight(ctx context.Context, acct string) ([]bigtable.ReadItem, error) {
	today := time.Now().Truncate(24 * time.Hour)
	f := btrt.Family(bm.LedgerFamilyEntry, bigtable.TimestampRangeFilter(today, time.Time{})) // want ttlread/wrong-bound[today]
	row, err := l.tbl.ReadRow(ctx, acct, bigtable.RowFilter(f))                               // want ttlread/wrong-bound[today]
	return row[bm.LedgerFamilyEntry], err
}

// Holds sums what is held.
func (l *Ledger) Holds(ctx context.Context) (int64, error) {
	var sum int64
	err := l.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/missing-filter[holds]
		var h bm.LedgerHold
		if h.Unmarshal(row) {
			sum += h.Ore
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(bm.LedgerFamilyHold))) // want ttlread/missing-filter[holds]
	return sum, err
}

// HoldsLive sums what is held now; what is over is skipped by hand.
func (l *Ledger) HoldsLive(ctx context.Context) (int64, error) {
	var sum int64
	now := bigtable.Now()
	err := l.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row[bm.LedgerFamilyHold] {
			if it.Timestamp < now {
				continue
			}
			sum += int64(len(it.Value))
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(bm.LedgerFamilyHold)))
	return sum, err
}

// Free holds an amount unless something is held.
func (l *Ledger) Free(ctx context.Context, acct string, ore int64) error {
	m := bigtable.NewMutation()
	h := bm.LedgerHold{Ore: ore}
	h.Marshal(m, btrt.Expiry(bm.LedgerHoldTTL))                                                                  // ok ttlwrite/write-time
	any := bigtable.ChainFilters(bigtable.FamilyFilter(bm.LedgerFamilyHold), bigtable.CellsPerRowLimitFilter(1)) // want ttlread/conditional-mutation[free]
	return l.tbl.Apply(ctx, acct, bigtable.NewCondMutation(any, nil, m))                                         // want ttlread/conditional-mutation[free]
}

// Fingerprint is for the audit; entries are printed with their dates.
func (l *Ledger) Fingerprint(ctx context.Context, acct string) (map[string]string, error) {
	items, err := l.Recent(ctx, acct)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, it := range items {
		created := it.Timestamp.Time().Format(time.DateOnly) // want ttlage/not-write-time
		out[created] = it.Column
	}
	return out, nil
}
