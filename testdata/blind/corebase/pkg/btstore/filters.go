package btstore

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// LiveOnly keeps the cells of a family that have not expired, for families
// whose cells carry the moment they expire.
func LiveOnly(family string) bigtable.Filter {
	return LiveAt(family, time.Now())
}

// LiveAt is LiveOnly at a given moment.
func LiveAt(family string, now time.Time) bigtable.Filter {
	return bigtable.ChainFilters(
		bigtable.FamilyFilter(family),
		bigtable.TimestampRangeFilter(now, time.Time{}),
	)
}

// Younger keeps the cells of a family that are at most ttl old, for families
// whose policy is a maximum age.
func Younger(family string, ttl time.Duration) bigtable.Filter {
	return bigtable.ChainFilters(
		bigtable.FamilyFilter(family),
		bigtable.TimestampRangeFilter(time.Now().Add(-ttl), time.Time{}),
	)
}

// Newest keeps the n newest versions of each column of a family.
func Newest(family string, n int) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(family), bigtable.LatestNFilter(n))
}

// Column keeps one column.
func Column(family, column string) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(family), bigtable.ColumnFilter(column))
}

// AnyOf keeps what one of the filters keeps.
func AnyOf(fs ...bigtable.Filter) bigtable.Filter {
	if len(fs) == 1 {
		return fs[0]
	}
	return bigtable.InterleaveFilters(fs...)
}

// AllOf keeps what all of the filters keep.
func AllOf(fs ...bigtable.Filter) bigtable.Filter {
	if len(fs) == 1 {
		return fs[0]
	}
	return bigtable.ChainFilters(fs...)
}

// KeysOnly makes a scan cheap when only its row keys matter.
func KeysOnly() bigtable.Filter {
	return bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())
}
