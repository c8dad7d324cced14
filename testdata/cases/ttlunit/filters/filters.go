// Package filters makes filters that the service rejects.
package filters

import "cloud.google.com/go/bigtable"

func latestZero() bigtable.Filter {
	return bigtable.LatestNFilter(0) // want `invalid-filter: `
}

func latestNegative() bigtable.Filter {
	return bigtable.LatestNFilter(-1) // want `invalid-filter: `
}

func latestConstant() bigtable.Filter {
	const all = 0
	return bigtable.LatestNFilter(all) // want `invalid-filter: `
}

func chainOfOne() bigtable.Filter {
	return bigtable.ChainFilters(bigtable.LatestNFilter(1)) // want `invalid-filter: `
}

func chainOfNone() bigtable.Filter {
	return bigtable.ChainFilters() // want `invalid-filter: `
}

func interleaveOfOne() bigtable.Filter {
	return bigtable.InterleaveFilters(bigtable.FamilyFilter("data")) // want `invalid-filter: `
}

func interleaveOfNone() bigtable.Filter {
	return bigtable.InterleaveFilters() // want `invalid-filter: `
}

func nested() bigtable.Filter {
	return bigtable.ChainFilters(bigtable.ColumnFilter("a"), bigtable.InterleaveFilters(bigtable.FamilyFilter("data"))) // want `invalid-filter: `
}

func okLatest() bigtable.Filter { return bigtable.LatestNFilter(1) }

func okLatestUnknown(n int) bigtable.Filter { return bigtable.LatestNFilter(n) }

func okChain() bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter("data"), bigtable.LatestNFilter(1))
}

func okInterleave() bigtable.Filter {
	return bigtable.InterleaveFilters(bigtable.FamilyFilter("a"), bigtable.FamilyFilter("b"))
}

func okChainOfUnknown(fs ...bigtable.Filter) bigtable.Filter {
	return bigtable.ChainFilters(fs...)
}

func okChainOfMany(fs []bigtable.Filter) bigtable.Filter {
	if len(fs) == 1 {
		return fs[0]
	}
	return bigtable.InterleaveFilters(fs...)
}
