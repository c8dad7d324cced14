package core

import (
	"context"
	"fmt"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"
)

// Frequency caps: "not more than n times in 24 hours". cap holds a cell per visitor and campaign,
// roll the counts of the last week.

// CapRule is one cap.
type CapRule struct {
	Campaign string
	Max      int
	Window   time.Duration
	Hard     bool
}

// capRow is what a write needs; the bulk writer takes a slice of these.
type capRow struct {
	fam, col string
	ts       bigtable.Timestamp
	val      []byte
}

func capKey(visitor, campaign string) string { return visitor + "|" + campaign }

// CountCap counts an impression of a campaign for a visitor.
func CountCap(ctx context.Context, visitor string, r CapRule, creative string, n int) error {
	if CapTbl == nil {
		return ErrNotInit
	}
	now := time.Now()
	rows := []capRow{
		{FamCap, "n", bigtable.Time(now.Add(CapTTL)), i2b(int64(n))}, // ok ttlwrite/write-time
		{FamCap, "last", bigtable.Time(now), []byte(creative)},       // want ttlwrite/write-time[caprow]
		{FamRoll, dayKey(now), bigtable.Time(now), i2b(int64(n))},    // ok ttlwrite/write-time
	}
	if r.Hard {
		rows = append(rows, capRow{FamCap, "hard", expTS(r.Window), nil}) // ok ttlwrite/write-time
	}
	m := bigtable.NewMutation()
	for _, c := range rows {
		m.Set(c.fam, c.col, c.ts, c.val) // want ttlwrite/write-time[caprow]
	}
	return CapTbl.Apply(ctx, capKey(visitor, r.Campaign), m)
}

// CountCapV1 uses an increment. Off if LM_CAPS_V2 is set, and it is not set anywhere.
func CountCapV1(ctx context.Context, visitor, campaign string, by int64) (int64, error) {
	if FlagCapsV2 {
		return 0, CountCap(ctx, visitor, CapRule{Campaign: campaign, Window: CapTTL}, "", int(by))
	}
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(FamCap, "n", by)                 // want ttlwrite/read-modify-write
	rmw.Increment(FamRoll, dayKey(time.Now()), by) // ok ttlwrite/read-modify-write
	row, err := CapTbl.ApplyReadModifyWrite(ctx, capKey(visitor, campaign), rmw)
	if err != nil {
		return 0, err
	}
	it, _ := cell(row[FamCap], "n")
	return b2i(it.Value), nil
}

// incr is shared by the counters below.
func incr(ctx context.Context, tbl *bigtable.Table, key, fam, column string, by int64) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(fam, column, by)
	_, err := tbl.ApplyReadModifyWrite(ctx, key, rmw)
	return err
}

// CountClick counts a click.
func CountClick(ctx context.Context, visitor, campaign string) error {
	key := capKey(visitor, campaign)
	if err := incr(ctx, CapTbl, key, FamRoll, "clicks", 1); err != nil { // ok ttlwrite/read-modify-write
		return err
	}
	if err := incr(ctx, CapTbl, key, FamCap, "clicks", 1); err != nil { // want ttlwrite/read-modify-write
		return err
	}
	return incr(ctx, imprTbl, campaign, FamCap, "clicks", 1) // ok ttlwrite/read-modify-write
}

// Capped tells whether a visitor has seen enough.
func Capped(ctx context.Context, visitor string, r CapRule) (bool, error) {
	row, err := readLive(ctx, CapTbl, capKey(visitor, r.Campaign), FamCap) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	it, ok := cell(row[FamCap], "n")
	return ok && b2i(it.Value) >= int64(r.Max), nil
}

// CappedMany reads for many campaigns at once.
func CappedMany(ctx context.Context, visitor string, rules []CapRule, fast bool) (map[string]bool, error) {
	var keys bigtable.RowList
	byKey := map[string]CapRule{}
	for _, r := range rules {
		k := capKey(visitor, r.Campaign)
		keys = append(keys, k)
		byKey[k] = r
	}
	out := map[string]bool{}
	f := bigtable.ChainFilters(bigtable.FamilyFilter(FamCap), bigtable.ColumnFilter("n")) // want ttlread/missing-filter[cm]
	if fast {
		f = bigtable.ChainFilters(f, bigtable.LatestNFilter(1)) // want ttlread/missing-filter[cm]
	}
	err := CapTbl.ReadRows(ctx, keys, func(row bigtable.Row) bool { // want ttlread/missing-filter[cm]
		for _, it := range row[FamCap] {
			r := byKey[row.Key()]
			out[r.Campaign] = b2i(it.Value) >= int64(r.Max)
		}
		return true
	}, bigtable.RowFilter(f)) // want ttlread/missing-filter[cm]
	return out, err
}

// CappedManyV2 is the same with a live filter.
func CappedManyV2(ctx context.Context, visitor string, rules []CapRule) (map[string]bool, error) {
	var keys bigtable.RowList
	byKey := map[string]CapRule{}
	for _, r := range rules {
		k := capKey(visitor, r.Campaign)
		keys = append(keys, k)
		byKey[k] = r
	}
	out := map[string]bool{}
	f := bigtable.ChainFilters(bigtable.FamilyFilter(FamCap), bigtable.ColumnFilter("n"))
	f = bigtable.ChainFilters(f, liveOnly(), bigtable.LatestNFilter(1))
	err := CapTbl.ReadRows(ctx, keys, func(row bigtable.Row) bool {
		for _, it := range row[FamCap] {
			r := byKey[row.Key()]
			out[r.Campaign] = b2i(it.Value) >= int64(r.Max)
		}
		return true
	}, bigtable.RowFilter(f)) // ok ttlread/missing-filter
	return out, err
}

// WeekCounts adds up the last week.
func WeekCounts(ctx context.Context, prefix string) (map[string]int64, error) {
	out := map[string]int64{}
	err := CapTbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool {
		_, campaign, _ := strings.Cut(row.Key(), "|")
		for _, it := range row[FamRoll] {
			out[campaign] += b2i(it.Value)
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(FamRoll), youngerThan(RollTTL)))) // ok ttlread/wrong-bound
	return out, err
}

// WeekCountsV1: "up to now, nothing from the future please" (psz)
func WeekCountsV1(ctx context.Context, prefix string) (map[string]int64, error) {
	now := time.Now()
	out := map[string]int64{}
	err := CapTbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool {
		_, campaign, _ := strings.Cut(row.Key(), "|")
		for _, it := range row[FamRoll] {
			out[campaign] += b2i(it.Value)
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(FamRoll), bigtable.TimestampRangeFilter(now.Add(-RollTTL), now)))) // want ttlread/upper-bound
	return out, err
}

// OldCounts: what the archive job takes away before it is deleted.
func OldCounts(ctx context.Context, prefix string, emit func(key string, n int64)) error {
	return CapTbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool {
		for _, it := range row[FamRoll] {
			emit(row.Key()+"/"+col(it), b2i(it.Value))
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(FamRoll), bigtable.TimestampRangeFilter(time.Time{}, time.Now().Add(-RollTTL))))) // want ttlread/expired-only
}

// BothCaps reads both families, for the debugger.
func BothCaps(ctx context.Context, visitor, campaign string, v2 bool) (map[string]int64, error) {
	now := time.Now()
	f := bigtable.TimestampRangeFilter(now.Add(-RollTTL), time.Time{})
	if v2 {
		f = bigtable.InterleaveFilters(
			bigtable.ChainFilters(bigtable.FamilyFilter(FamCap), bigtable.TimestampRangeFilter(now, time.Time{})),
			bigtable.ChainFilters(bigtable.FamilyFilter(FamRoll), f),
		)
	} else {
		f = bigtable.ChainFilters(bigtable.FamilyFilter(FamRoll), f)
	}
	row, err := CapTbl.ReadRow(ctx, capKey(visitor, campaign), bigtable.RowFilter(f)) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	out := map[string]int64{}
	for fam, items := range row {
		for _, it := range items {
			out[fam+"/"+col(it)] = b2i(it.Value)
		}
	}
	return out, nil
}

// CapList prints caps. Since when is a guess.
func CapList(ctx context.Context, visitor, campaign string) (string, error) {
	row, err := readLive(ctx, CapTbl, capKey(visitor, campaign), FamCap)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, it := range row[FamCap] {
		fmt.Fprintf(&b, "%s: %d, updated %s\n", col(it), b2i(it.Value), it.Timestamp.Time().Format(time.Kitchen)) // want ttlage/not-write-time
		fmt.Fprintf(&b, "%s: until %s\n", col(it), it.Timestamp.Time().Format(time.Kitchen))                      // ok ttlage/not-write-time
	}
	return b.String(), nil
}
