// Package read reads.
package read

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func Live() bigtable.Filter { return bigtable.TimestampRangeFilter(time.Now(), time.Time{}) }

func Within(d time.Duration) bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Now().Add(-d), time.Time{})
}

// Filter passes what has expired on request.
func Filter(expired bool) bigtable.Filter {
	if expired {
		return bigtable.PassAllFilter()
	}
	return Live()
}

func Options(more ...bigtable.ReadOption) []bigtable.ReadOption {
	return append(more, bigtable.RowFilter(Live()))
}

func Option(f bigtable.Filter) bigtable.ReadOption { return bigtable.RowFilter(f) }

func Row(ctx context.Context, tbl *bigtable.Table, key string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	return tbl.ReadRow(ctx, key, opts...)
}

// Rows hands each row to its callback.
func Rows(ctx context.Context, tbl *bigtable.Table, f func(bigtable.Row) bool, filter bigtable.Filter) error {
	return tbl.ReadRows(ctx, bigtable.InfiniteRange(""), f, bigtable.RowFilter(filter))
}

// First uses one family of a row.
func First(row bigtable.Row) []byte {
	for _, item := range row["token"] {
		return item.Value
	}
	return nil
}

// Fresh looks at the timestamps of a row.
func Fresh(row bigtable.Row, now bigtable.Timestamp) [][]byte {
	var list [][]byte
	for _, item := range row["token"] {
		if item.Timestamp > now {
			list = append(list, item.Value)
		}
	}
	return list
}
