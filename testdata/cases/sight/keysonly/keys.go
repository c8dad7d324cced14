// Package keysonly scans keys of tables that callers open.
package keysonly

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func gone(ctx context.Context, t *bigtable.Table) (keys []string, err error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter("event"), bigtable.TimestampRangeFilter(time.Time{}, time.Now().Add(-720*time.Hour)))
	err = t.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // want `expired-only: .*"event"`
		keys = append(keys, r.Key())
		return true
	}, bigtable.RowFilter(f))
	return keys, err
}

func dead(ctx context.Context, t *bigtable.Table) (n int, err error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Time{}, time.Now()))
	err = t.ReadRows(ctx, bigtable.InfiniteRange(""), func(bigtable.Row) bool { // want `expired-only: .*"token"`
		n++
		return true
	}, bigtable.RowFilter(f))
	return n, err
}

func okLive(ctx context.Context, t *bigtable.Table) (n int, err error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	err = t.ReadRows(ctx, bigtable.InfiniteRange(""), func(bigtable.Row) bool {
		n++
		return true
	}, bigtable.RowFilter(f))
	return n, err
}

// What is dead is deleted.
func okSweep(ctx context.Context, t *bigtable.Table) error {
	f := bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Time{}, time.Now()))
	var keys []string
	if err := t.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool {
		keys = append(keys, r.Key())
		return true
	}, bigtable.RowFilter(f)); err != nil {
		return err
	}
	for _, key := range keys {
		mut := bigtable.NewMutation()
		mut.DeleteRow()
		if err := t.Apply(ctx, key, mut); err != nil {
			return err
		}
	}
	return nil
}

// Which family it is nobody says.
func okAny(ctx context.Context, t *bigtable.Table) (n int, err error) {
	err = t.ReadRows(ctx, bigtable.InfiniteRange(""), func(bigtable.Row) bool {
		n++
		return true
	}, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Time{}, time.Now())))
	return n, err
}
