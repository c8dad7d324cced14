// Package never makes filters that go nowhere near a read: the service rejects none.
package never

import "cloud.google.com/go/bigtable"

// Same takes whatever two values it is to compare.
func same(a, b any, options ...any) bool { return a == b && len(options) == 0 }

// Unexported names types whose private parts are compared.
func unexported(types ...any) any { return types }

func compared(got bigtable.Filter) bool {
	var options []any
	options = append(options,
		unexported(bigtable.ChainFilters([]bigtable.Filter{}...)),
		unexported(bigtable.InterleaveFilters([]bigtable.Filter{}...)))
	return same(got, bigtable.ChainFilters(bigtable.LatestNFilter(1)), options...)
}

// Wanted is a variable.
func wanted(got bigtable.Filter) bool {
	want := bigtable.LatestNFilter(0)
	return same(got, want)
}

// Read asks for a filter.
func read(filter bigtable.Filter) bigtable.ReadOption { return bigtable.RowFilter(filter) }

func sent() bigtable.ReadOption {
	return read(bigtable.ChainFilters([]bigtable.Filter{}...)) // want `invalid-filter: `
}

// Both is compared and read with.
func both(got bigtable.Filter) bigtable.ReadOption {
	want := bigtable.LatestNFilter(0) // want `invalid-filter: `
	if same(got, want) {
		return nil
	}
	return bigtable.RowFilter(want)
}

// Appended to a list of any values, it may be anywhere.
func appended(list []any) []any {
	return append(list, bigtable.InterleaveFilters()) // want `invalid-filter: `
}

// Keep returns what it is given.
func keep[T any](v T) T { return v }

func kept() bigtable.ReadOption {
	return bigtable.RowFilter(keep(bigtable.ChainFilters())) // want `invalid-filter: `
}
