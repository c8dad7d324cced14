package store

import (
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/paywell/clock"
)

// live passes the cells that have not expired, where the timestamp is the
// moment of expiry.
func live(clk clock.Clock) bigtable.Filter {
	return bigtable.TimestampRangeFilter(clk.Now(), time.Time{})
}

// liveIn passes the cells of one such family.
func liveIn(clk clock.Clock, family string) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(family), live(clk))
}

// younger passes the cells whose timestamp is at most d ago.
func younger(now time.Time, d time.Duration) bigtable.Filter {
	return bigtable.TimestampRangeFilter(now.Add(-d), time.Time{})
}

// latest passes the newest n numbers of a family.
func latest(family string, n int) bigtable.ReadOption {
	return bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(family),
		bigtable.LatestNFilter(n),
	))
}

// only passes one column of one family.
func only(family, col string) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(family), bigtable.ColumnFilter(col))
}
