package core

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
)

// What the old pixel server still does with the click table. The rest moved to attrib. (ana)

const (
	famEv    = "ev"
	famDedup = "dedup"
	clickTTL = 14 * 24 * time.Hour
)

// PixelClick is a click of the old pixel.
func PixelClick(ctx context.Context, visitor, campaign string, bot, test bool) error {
	m := bigtable.NewMutation()
	switch {
	case bot:
		// bots are kept for a day
		m.Set(famEv, "bot:"+campaign, bigtable.Time(time.Now().Add(24*time.Hour-clickTTL)), []byte("b")) // ok ttlwrite/already-expired
	case test:
		// tests should go right away
		m.Set(famEv, "test:"+campaign, bigtable.Time(time.Now().Add(-clickTTL)), []byte("t")) // want ttlwrite/already-expired
	default:
		m.Set(famEv, "px:"+campaign, bigtable.Now(), []byte("c"))    // ok ttlwrite/write-time
		m.Set(famDedup, "px:"+campaign, bigtable.Now(), []byte("c")) // want ttlwrite/write-time
	}
	return ClicksTbl.Apply(ctx, visitor, m)
}

// PixelSeen asks for the dedup cell.
func PixelSeen(ctx context.Context, visitor, campaign string) (bool, error) {
	row, err := ClicksTbl.ReadRow(ctx, visitor, bigtable.RowFilter(bigtable.ColumnFilter("px:"+campaign))) // want ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return len(row[famDedup]) > 0, nil
}

// PixelSeenV2 sees only what lives.
func PixelSeenV2(ctx context.Context, visitor, campaign string) (bool, error) {
	row, err := readLive(ctx, ClicksTbl, visitor, famDedup) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	_, ok := cell(row[famDedup], "px:"+campaign)
	return ok, nil
}

// PixelHistory is for the support page.
func PixelHistory(ctx context.Context, visitor string) ([]string, error) {
	row, err := ClicksTbl.ReadRow(ctx, visitor, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(famEv), youngerThan(clickTTL)))) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row[famEv] {
		out = append(out, fmt.Sprintf("%s created %s", col(it), it.Timestamp.Time().Format(time.RFC822))) // want ttlage/not-write-time
	}
	return out, nil
}

// PixelHistoryHour keeps to the hour, the caches like that.
func PixelHistoryHour(ctx context.Context, visitor string) (int, error) {
	from := time.Now().Add(-clickTTL).Truncate(time.Millisecond)
	row, err := ClicksTbl.ReadRow(ctx, visitor, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(famEv), bigtable.TimestampRangeFilter(from, time.Time{})))) // ok ttlread/wrong-bound
	if err != nil {
		return 0, err
	}
	return len(row[famEv]), nil
}
