// Package lib chains what it is given.
package lib

import (
	"context"

	"cloud.google.com/go/bigtable"
	btpb "cloud.google.com/go/bigtable/apiv2/bigtablepb"
)

// All is the option of all filters.
func All(fs ...bigtable.Filter) bigtable.ReadOption {
	switch len(fs) {
	case 0:
		return bigtable.RowFilter(bigtable.PassAllFilter())
	case 1:
		return bigtable.RowFilter(fs[0])
	}
	return bigtable.RowFilter(bigtable.ChainFilters(fs...))
}

// Get reads a row by all filters.
func Get(ctx context.Context, tbl *bigtable.Table, key string, fs ...bigtable.Filter) (bigtable.Row, error) {
	return tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(fs...)))
}

// Chain chains raw filters.
func Chain(fs ...*btpb.RowFilter) *btpb.RowFilter {
	if len(fs) == 1 {
		return fs[0]
	}
	return &btpb.RowFilter{Filter: &btpb.RowFilter_Chain_{Chain: &btpb.RowFilter_Chain{Filters: fs}}}
}
