// Package lib chains filters and leaves out those that are nil.
package lib

import "cloud.google.com/go/bigtable"

// All chains those that are not nil.
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

// With chains what is made of each maker that makes one.
func With(makers ...func() bigtable.Filter) bigtable.Filter {
	var kept []bigtable.Filter
	for _, m := range makers {
		if f := m(); f != nil {
			kept = append(kept, f)
		}
	}
	if len(kept) == 1 {
		return kept[0]
	}
	return bigtable.ChainFilters(kept...)
}
