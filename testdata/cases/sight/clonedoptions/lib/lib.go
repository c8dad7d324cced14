// Package lib makes lists of options.
package lib

import (
	"slices"
	"time"

	"cloud.google.com/go/bigtable"
)

var base = []bigtable.ReadOption{bigtable.RowFilter(bigtable.FamilyFilter("token")), bigtable.LimitRows(1)}

// Base returns what all reads have.
func Base() []bigtable.ReadOption { return base }

// Live lets tokens pass that live.
func Live() bigtable.ReadOption {
	return bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Now(), time.Time{})))
}

// With replaces the filter that all reads have.
func With(filter bigtable.ReadOption) []bigtable.ReadOption {
	opts := slices.Clone(base)
	opts[0] = filter
	return opts
}
