package branches

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// What is wrong whatever its callers supply is told here, and at none of them.
func switched(ctx context.Context, tbl *bigtable.Table, start, end time.Time) (n int, err error) {
	err = tbl.ReadRows(ctx, bigtable.PrefixRange(""), func(row bigtable.Row) bool {
		n += len(row["on"]) + len(row["off"])
		return true
	}, bigtable.RowFilter(
		bigtable.ConditionFilter( // want `unfiltered-branch: .*"off", "on" \(table not known\)`
			bigtable.ChainFilters(bigtable.FamilyFilter("who"), bigtable.TimestampRangeFilter(start, end)),
			bigtable.ChainFilters(bigtable.FamilyFilter("on|off"), bigtable.LatestNFilter(1)),
			bigtable.BlockAllFilter(),
		)))
	return n, err
}

func okLastHour(ctx context.Context, c *bigtable.Client) (int, error) {
	now := time.Now()
	return switched(ctx, c.Open("watches"), now.Add(-time.Hour), now)
}

func okDays(ctx context.Context, c *bigtable.Client) (n int, err error) {
	now := time.Now()
	for d := 0; d < 7 && err == nil; d++ {
		var of int
		day := now.Add(-time.Duration(24*d) * time.Hour)
		start := time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, day.Location())
		of, err = switched(ctx, c.Open("watches"), start, start.AddDate(0, 0, 1))
		n += of
	}
	return n, err
}

func okOtherTableOfCaller(ctx context.Context, c *bigtable.Client) (int, error) {
	return switched(ctx, c.Open("sessions"), time.Time{}, time.Now())
}
