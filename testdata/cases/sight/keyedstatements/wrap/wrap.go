// Package wrap wraps wrappers of reads.
package wrap

import (
	"context"

	"cloud.google.com/go/bigtable"
)

// Live is a predicate of queries of tokens.
func Live() string { return "_timestamp > CURRENT_TIMESTAMP()" }

func read(ctx context.Context, t *bigtable.Table, key string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	return t.ReadRow(ctx, key, opts...)
}

// Latest reads the latest cells.
func Latest(ctx context.Context, t *bigtable.Table, key string) (bigtable.Row, error) {
	return read(ctx, t, key, bigtable.RowFilter(bigtable.LatestNFilter(1)))
}

// One is Latest.
func One(ctx context.Context, t *bigtable.Table, key string) (bigtable.Row, error) {
	return Latest(ctx, t, key)
}
