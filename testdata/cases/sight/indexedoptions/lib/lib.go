// Package lib makes options.
package lib

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// Options returns a limit and a filter.
func Options(live bool) []bigtable.ReadOption {
	opts := make([]bigtable.ReadOption, 2)
	opts[0] = bigtable.LimitRows(10)
	opts[1] = bigtable.RowFilter(bigtable.FamilyFilter("token"))
	if live {
		opts[1] = bigtable.RowFilter(Live())
	}
	return opts
}

// Live lets tokens pass that live.
func Live() bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
}

// Pair returns a limit and a filter.
func Pair() ([]bigtable.ReadOption, error) {
	return []bigtable.ReadOption{bigtable.LimitRows(1), bigtable.RowFilter(bigtable.FamilyFilter("token"))}, nil
}
