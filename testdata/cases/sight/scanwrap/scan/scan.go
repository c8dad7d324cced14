// Package scan wraps ReadRows.
package scan

import (
	"context"

	"cloud.google.com/go/bigtable"
)

func Each(ctx context.Context, t *bigtable.Table, f func(bigtable.Row) bool) error {
	return t.ReadRows(ctx, bigtable.PrefixRange(""), f, bigtable.RowFilter(bigtable.LatestNFilter(1)))
}
