// Package lib reads with filters of its own.
package lib

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// Latest puts its filter behind what it is given.
func Latest(ctx context.Context, t *bigtable.Table, key string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	return t.ReadRow(ctx, key, append(opts, bigtable.RowFilter(bigtable.LatestNFilter(1)))...)
}

// Default lets callers overrule its filter.
func Default(ctx context.Context, t *bigtable.Table, key string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	return t.ReadRow(ctx, key, append([]bigtable.ReadOption{bigtable.RowFilter(bigtable.LatestNFilter(1))}, opts...)...)
}

// Live is the filter of what lives.
func Live() bigtable.Filter { return bigtable.TimestampRangeFilter(time.Now(), time.Time{}) }

// A Table reads what lives only.
type Table struct{ *bigtable.Table }

func (t *Table) ReadRow(ctx context.Context, key string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	opts = append(opts, bigtable.RowFilter(Live()))
	return t.Table.ReadRow(ctx, key, opts...)
}

// Scan reads all rows, with a filter.
func Scan(ctx context.Context, t *bigtable.Table, f bigtable.Filter, each func(bigtable.Row) bool, more ...bigtable.ReadOption) error {
	opts := append([]bigtable.ReadOption{bigtable.LimitRows(10)}, more...)
	return t.ReadRows(ctx, bigtable.InfiniteRange(""), each, append(opts, bigtable.RowFilter(f))...)
}
