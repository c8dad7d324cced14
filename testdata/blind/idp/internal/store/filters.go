package store

import (
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/idp/internal/clock"
)

// Live passes the cells that expire after now.
func Live(now time.Time) bigtable.Filter {
	return bigtable.TimestampRangeFilter(now, time.Time{})
}

// Younger passes the cells whose timestamp is at most d before now.
func Younger(now time.Time, d time.Duration) bigtable.Filter {
	return bigtable.TimestampRangeFilter(now.Add(-d), time.Time{})
}

// In restricts filters to one family.
func In(family string, fs ...bigtable.Filter) bigtable.Filter {
	if len(fs) == 0 {
		return bigtable.FamilyFilter(family)
	}
	all := make([]bigtable.Filter, 0, len(fs)+1)
	all = append(all, bigtable.FamilyFilter(family))
	all = append(all, fs...)
	return bigtable.ChainFilters(all...)
}

// Latest passes the newest cell of each column.
func Latest() bigtable.Filter { return bigtable.LatestNFilter(1) }

// Column passes one column of a family.
func Column(family, column string) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(family), bigtable.ColumnFilter(column))
}

// ExpiresIn is the timestamp of a cell that lives for d.
func ExpiresIn(c clock.Clock, d time.Duration) bigtable.Timestamp {
	return bigtable.Time(c.Now().Add(d))
}

// Stamp is the timestamp of a cell that is written now.
func Stamp() bigtable.Timestamp { return bigtable.Now() }

// Seq is the timestamp of the n-th version.
func Seq(n int64) bigtable.Timestamp { return bigtable.Timestamp(n * 1000) }

// SeqOf is the number of a version.
func SeqOf(it bigtable.ReadItem) int64 { return int64(it.Timestamp) / 1000 }

// First is the first cell of a family's column.
func First(row bigtable.Row, family, column string) (bigtable.ReadItem, bool) {
	for _, it := range row[family] {
		if it.Column == family+":"+column {
			return it, true
		}
	}
	return bigtable.ReadItem{}, false
}
