// Package filters collects filters for reads.
package filters

import "cloud.google.com/go/bigtable"

// All passes the cells that all of the filters pass, those that are nil left
// out.
func All(filters ...bigtable.Filter) bigtable.Filter {
	var kept []bigtable.Filter
	for _, f := range filters {
		if f != nil {
			kept = append(kept, f)
		}
	}
	switch len(kept) {
	case 0:
		return bigtable.PassAllFilter()
	case 1:
		return kept[0]
	}
	return bigtable.ChainFilters(kept...)
}

// Option is All as an option.
func Option(filters ...bigtable.Filter) []bigtable.ReadOption {
	kept := make([]bigtable.Filter, 0, len(filters))
	for _, f := range filters {
		if f == nil {
			continue
		}
		kept = append(kept, f)
	}
	if len(kept) == 0 {
		return nil
	}
	if len(kept) == 1 {
		return []bigtable.ReadOption{bigtable.RowFilter(kept[0])}
	}
	return []bigtable.ReadOption{bigtable.RowFilter(bigtable.ChainFilters(kept...))}
}

// A Set collects filters one by one.
type Set struct{ filters []bigtable.Filter }

// Compact drops what is zero.
func Compact[T comparable](values []T) []T {
	var zero T
	out := values[:0:0]
	for _, v := range values {
		if v == zero {
			continue
		}
		out = append(out, v)
	}
	return out
}
