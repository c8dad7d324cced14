// Package scan scans tables for others, who give what gets the rows.
package scan

import (
	"context"
	"iter"

	"cloud.google.com/go/bigtable"
)

// All returns what scans a table.
func All(ctx context.Context, t *bigtable.Table) func(each func(bigtable.Row) bool) error {
	return func(each func(bigtable.Row) bool) error {
		return t.ReadRows(ctx, bigtable.InfiniteRange(""), each)
	}
}

// Rows are the rows of a table.
func Rows(ctx context.Context, t *bigtable.Table, opts ...bigtable.ReadOption) iter.Seq[bigtable.Row] {
	return func(yield func(bigtable.Row) bool) {
		_ = t.ReadRows(ctx, bigtable.InfiniteRange(""), yield, opts...)
	}
}

// A Visitor gets rows.
type Visitor interface{ Visit(bigtable.Row) bool }

// Walk gives it all rows.
func Walk(ctx context.Context, t *bigtable.Table, v Visitor) error {
	return t.ReadRows(ctx, bigtable.InfiniteRange(""), v.Visit)
}
