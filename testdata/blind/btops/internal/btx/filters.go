package btx

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// Live passes the cells of a one-second family that have not expired.
func Live() bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Now(), time.Time{}) // ok ttlread/expired-only
}

// LiveAt is Live for a given moment.
func LiveAt(now time.Time) bigtable.Filter {
	return bigtable.TimestampRangeFilter(now, time.Time{})
}

// Within passes cells that are at most d old, for families that expire d after
// their timestamp.
func Within(d time.Duration) bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Now().Add(-d), time.Time{})
}

// Newest passes the newest cell of every column.
func Newest() bigtable.ReadOption {
	return bigtable.RowFilter(bigtable.LatestNFilter(1))
}

// LiveOnly is the read option for Live, narrowed to one family.
func LiveOnly(family string) bigtable.ReadOption {
	return bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter("^"+family+"$"),
		Live(),
		bigtable.LatestNFilter(1),
	))
}

// Family narrows a read to one family, every cell of it.
func Family(family string) bigtable.Filter {
	return bigtable.FamilyFilter(family)
}

// Column narrows a read to one column.
func Column(family, column string) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(family), bigtable.ColumnFilter(column))
}

// Filters chains what there is of filters.
func Filters(fs ...bigtable.Filter) bigtable.Filter {
	var some []bigtable.Filter
	for _, f := range fs {
		if f != nil {
			some = append(some, f)
		}
	}
	switch len(some) {
	case 0:
		return bigtable.PassAllFilter()
	case 1:
		return some[0]
	}
	return bigtable.ChainFilters(some...) // ok ttlunit/invalid-filter
}

// Values is the first value of every column of one family of a row.
func Values(row bigtable.Row, family string) map[string]string {
	m := map[string]string{}
	for _, it := range row[family] {
		if _, ok := m[it.Column]; !ok {
			m[it.Column] = string(it.Value)
		}
	}
	return m
}

// Value is the first value of one column, or nothing.
func Value(row bigtable.Row, family, column string) string {
	return Values(row, family)[family+":"+column]
}
