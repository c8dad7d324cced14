package dal

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// Live passes the cells that have not expired yet, for the families whose
// timestamps are the moment of expiry.
func Live(c Clock) bigtable.Filter {
	return bigtable.TimestampRangeFilter(c.Now(), time.Time{})
}

// Younger passes the cells that are younger than d.
func Younger(c Clock, d time.Duration) bigtable.Filter {
	return bigtable.TimestampRangeFilter(c.Now().Add(-d), time.Time{})
}

// Family restricts a filter to a family.
func Family(name string, f ...bigtable.Filter) bigtable.Filter {
	all := append([]bigtable.Filter{bigtable.FamilyFilter(name)}, f...)
	if len(all) == 1 {
		return all[0]
	}
	return bigtable.ChainFilters(all...)
}

// Latest is the filter of the families with sequence numbers.
func Latest(n int) bigtable.Filter { return bigtable.LatestNFilter(n) }

// With makes a read option of filters; all of them have to pass.
func With(fs ...bigtable.Filter) bigtable.ReadOption {
	switch len(fs) {
	case 0:
		return bigtable.RowFilter(bigtable.PassAllFilter())
	case 1:
		return bigtable.RowFilter(fs[0])
	}
	return bigtable.RowFilter(bigtable.ChainFilters(fs...))
}

// LiveOnly is With(Live(c)) for callers who want an option.
func LiveOnly(c Clock, more ...bigtable.Filter) bigtable.ReadOption {
	return With(append([]bigtable.Filter{Live(c)}, more...)...)
}

// Either passes what one of the filters passes.
func Either(a, b bigtable.Filter) bigtable.Filter {
	return bigtable.InterleaveFilters(a, b)
}

// Page limits a scan.
func Page(n int64) bigtable.ReadOption { return bigtable.LimitRows(n) }
