package bt

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// Live passes the cells of a family whose timestamps are moments of expiry and lie ahead.
func Live(family string) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(family), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
}

// Within passes the cells of a family that are not older than d.
func Within(family string, d time.Duration) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(family), bigtable.TimestampRangeFilter(time.Now().Add(-d), time.Time{}))
}

// Latest passes the n newest versions of each column of a family.
func Latest(family string, n int) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(family), bigtable.LatestNFilter(n))
}

// Column passes one column, all versions.
func Column(family, column string) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(family), bigtable.ColumnFilter(column))
}

// And narrows a filter.
func And(f bigtable.Filter, more ...bigtable.Filter) bigtable.Filter {
	if len(more) == 0 {
		return f
	}
	return bigtable.ChainFilters(append([]bigtable.Filter{f}, more...)...)
}

// Either passes what one of two filters passes.
func Either(a, b bigtable.Filter) bigtable.Filter { return bigtable.InterleaveFilters(a, b) }

// With turns a filter into a read option.
func With(f bigtable.Filter) bigtable.ReadOption { return bigtable.RowFilter(f) }

// Limit turns a filter and a row limit into read options.
func Limit(f bigtable.Filter, rows int64) []bigtable.ReadOption {
	opts := []bigtable.ReadOption{bigtable.LimitRows(rows)}
	if f != nil {
		opts = append(opts, bigtable.RowFilter(f))
	}
	return opts
}
