// Package groups makes filters that the service rejects.
package groups

import "cloud.google.com/go/bigtable"

func chain() bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter("f")) // want `invalid-filter: `
}

func latest() bigtable.Filter {
	return bigtable.LatestNFilter(0) // want `invalid-filter: `
}
