package btx

import (
	"time"

	"cloud.google.com/go/bigtable"

	"wallet.example/platform/internal/schema"
)

// Live passes cells that expire after now, where timestamps are expiries.
func Live(now time.Time) bigtable.Filter {
	return bigtable.TimestampRangeFilter(now, time.Time{}) // ok ttlunit/empty-range
}

// Since passes cells that are at most d old.
func Since(now time.Time, d time.Duration) bigtable.Filter {
	return bigtable.TimestampRangeFilter(now.Add(-d), time.Time{})
}

// Only restricts f to a family.
func Only(family schema.Family, f ...bigtable.Filter) bigtable.Filter {
	if len(f) == 0 {
		return bigtable.FamilyFilter(family.String())
	}
	return bigtable.ChainFilters(append([]bigtable.Filter{bigtable.FamilyFilter(family.String())}, f...)...) // ok ttlunit/invalid-filter
}

// Cell restricts to a column and its newest version.
func Cell(family schema.Family, col schema.Column) bigtable.Filter {
	return bigtable.ChainFilters(
		bigtable.FamilyFilter(family.String()),
		bigtable.ColumnFilter(col.String()),
		bigtable.LatestNFilter(1),
	)
}

// Latest passes the newest version of every column of a family.
func Latest(family schema.Family) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(family.String()), bigtable.LatestNFilter(1))
}

// Value returns the first value of a column of a row.
func Value(row bigtable.Row, family schema.Family, col schema.Column) ([]byte, bool) {
	name := schema.Qualified(family, col)
	for _, item := range row[family.String()] {
		if item.Column == name {
			return item.Value, true
		}
	}
	return nil, false
}
