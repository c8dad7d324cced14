// Package btx is what the platform's packages share about Bigtable: filters,
// times, row iteration, encoders and a buffered writer.
package btx

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// Live passes what has not expired, for families whose cells carry the moment
// at which they end.
func Live() bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Now(), time.Time{})
}

// LiveAt is Live at a given moment.
func LiveAt(now time.Time) bigtable.Filter {
	return bigtable.TimestampRangeFilter(now, time.Time{})
}

// Within passes the cells of the last d.
func Within(d time.Duration) bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Now().Add(-d), time.Time{})
}

// Before passes the cells up to now.
func Before(now time.Time) bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Time{}, now)
}

// Between passes the cells of a window.
func Between(from, to time.Time) bigtable.Filter {
	return bigtable.TimestampRangeFilter(from, to)
}

// Family restricts the given filters to one family.
func Family(name string, rest ...bigtable.Filter) bigtable.Filter {
	return And(append([]bigtable.Filter{bigtable.FamilyFilter(name)}, rest...)...)
}

// And chains filters; one filter is itself, none passes everything.
func And(fs ...bigtable.Filter) bigtable.Filter {
	switch len(fs) {
	case 0:
		return bigtable.PassAllFilter()
	case 1:
		return fs[0]
	}
	return bigtable.ChainFilters(fs...)
}

// Cell restricts to one column and its newest cell.
func Cell(family, column string) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(family), bigtable.ColumnFilter(column), bigtable.LatestNFilter(1))
}

// LiveCell is Cell for families of expiring cells.
func LiveCell(family, column string) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(family), bigtable.ColumnFilter(column), Live(), bigtable.LatestNFilter(1))
}

// Newest is the option for the last n cells of every column.
func Newest(n int) bigtable.ReadOption {
	return bigtable.RowFilter(bigtable.LatestNFilter(n))
}

// Options collects read options; nil filters are left out.
func Options(fs ...bigtable.Filter) []bigtable.ReadOption {
	var kept []bigtable.Filter
	for _, f := range fs {
		if f != nil {
			kept = append(kept, f)
		}
	}
	if len(kept) == 0 {
		return nil
	}
	return []bigtable.ReadOption{bigtable.RowFilter(And(kept...))}
}
