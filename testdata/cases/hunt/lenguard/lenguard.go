// Package lenguard chains a list of filters only when the list is long enough.
package lenguard

import (
	"context"
	"os"

	"cloud.google.com/go/bigtable"
)

func options() bigtable.ReadOption {
	list := make([]bigtable.Filter, 0, 2)
	if os.Getenv("KEYS_ONLY") != "" {
		list = append(list, bigtable.StripValueFilter())
	}
	list = append(list, bigtable.LatestNFilter(1))
	if len(list) == 1 {
		return bigtable.RowFilter(list[0])
	}
	return bigtable.RowFilter(bigtable.ChainFilters(list...))
}

func switched() bigtable.Filter {
	var list []bigtable.Filter
	if os.Getenv("VALUES") != "" {
		list = append(list, bigtable.ValueFilter("a"))
	}
	switch len(list) {
	case 0:
		return bigtable.PassAllFilter()
	case 1:
		return list[0]
	default:
		return bigtable.InterleaveFilters(list...)
	}
}

func atLeastTwo() bigtable.Filter {
	filter := bigtable.PassAllFilter()
	list := []bigtable.Filter{bigtable.FamilyFilter("sample")}
	if os.Getenv("LATEST") != "" {
		list = append(list, bigtable.LatestNFilter(1))
	}
	if len(list) > 1 {
		filter = bigtable.ChainFilters(list...)
	}
	return filter
}

// No guard: the list may hold one filter.
func unguarded() bigtable.Filter {
	list := []bigtable.Filter{bigtable.FamilyFilter("sample")}
	if os.Getenv("LATEST") != "" {
		list = append(list, bigtable.LatestNFilter(1))
	}
	return bigtable.ChainFilters(list...) // want `invalid-filter: `
}

func read(ctx context.Context, tbl *bigtable.Table) (bigtable.Row, error) {
	return tbl.ReadRow(ctx, "k", options())
}
