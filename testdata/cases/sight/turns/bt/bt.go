// Package bt reads what lists of shards say.
package bt

import (
	"context"

	"cloud.google.com/go/bigtable"
)

// Shard is a table with the filter that it needs.
type Shard struct {
	Table  *bigtable.Table
	Filter bigtable.Filter
}

// FanOut reads all shards.
func FanOut(ctx context.Context, shards []Shard, f func(bigtable.Row) bool) {
	for _, sh := range shards {
		var opts []bigtable.ReadOption
		if sh.Filter != nil {
			opts = append(opts, bigtable.RowFilter(sh.Filter))
		}
		_ = sh.Table.ReadRows(ctx, bigtable.InfiniteRange(""), f, opts...)
	}
}
