// Package step has steps that make filters, and reads by them.
package step

import (
	"time"

	"cloud.google.com/go/bigtable"
	"example.com/cases/sight/piped/fn"
)

// Step adds to filters.
type Step = func([]bigtable.Filter) []bigtable.Filter

// Only keeps one family.
func Only(family string) Step {
	return func(fs []bigtable.Filter) []bigtable.Filter {
		return append(fs, bigtable.FamilyFilter(family))
	}
}

// Live keeps what has not expired.
func Live(now time.Time) Step {
	return func(fs []bigtable.Filter) []bigtable.Filter {
		return append(fs, bigtable.TimestampRangeFilter(now, time.Time{}))
	}
}

// Newest keeps so many versions.
func Newest(n int) Step {
	return func(fs []bigtable.Filter) []bigtable.Filter { return append(fs, bigtable.LatestNFilter(n)) }
}

// By chains what steps make.
func By(steps ...Step) bigtable.ReadOption {
	return bigtable.RowFilter(bigtable.ChainFilters(fn.Pipe([]bigtable.Filter(nil), steps...)...))
}
