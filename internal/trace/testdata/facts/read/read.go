package read // want package:`\) reaches Bigtable}$`

// Package read reads.

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func Live() bigtable.Filter { return bigtable.TimestampRangeFilter(time.Now(), time.Time{}) } // want Live:`returns bigtable\.TimestampRangeFilter\(time\.Now\(\), time\.Time\{\}\(\)\)`

func Within(d time.Duration) bigtable.Filter { // want Within:`returns bigtable\.TimestampRangeFilter\(time\.Time\.Add\(time\.Now\(\), -\(0, \$0\)\), time\.Time\{\}\(\)\);`
	return bigtable.TimestampRangeFilter(time.Now().Add(-d), time.Time{})
}

// Filter passes what has expired on request.
func Filter(expired bool) bigtable.Filter { // want Filter:`if \$0 returns bigtable\.PassAllFilter\(\); if !\(\$0\) returns bigtable\.TimestampRangeFilter\(time\.Now\(\), time\.Time\{\}\(\)\)`
	if expired {
		return bigtable.PassAllFilter()
	}
	return Live()
}

func Options(more ...bigtable.ReadOption) []bigtable.ReadOption { // want Options:`returns \[\.\.\.\(\$0\), bigtable\.RowFilter\(bigtable\.TimestampRangeFilter\(time\.Now\(\), time\.Time\{\}\(\)\)\)\]`
	return append(more, bigtable.RowFilter(Live()))
}

func Option(f bigtable.Filter) bigtable.ReadOption { return bigtable.RowFilter(f) } // want Option:`returns bigtable\.RowFilter\(\$0\)`

func Row(ctx context.Context, tbl *bigtable.Table, key string, opts ...bigtable.ReadOption) (bigtable.Row, error) { // want Row:`returns row\("[^"]*"\), .*; bigtable\.Table\.ReadRow\(\$1, .*, \$3\)`
	return tbl.ReadRow(ctx, key, opts...)
}

// Rows hands each row to its callback.
func Rows(ctx context.Context, tbl *bigtable.Table, f func(bigtable.Row) bool, filter bigtable.Filter) error { // want Rows:`bigtable\.Table\.ReadRows\(\$1, .*, \$2, \[bigtable\.RowFilter\(\$3\)\]\)`
	return tbl.ReadRows(ctx, bigtable.InfiniteRange(""), f, bigtable.RowFilter(filter))
}

// First uses one family of a row.
func First(row bigtable.Row) []byte { // want First:`uses row \$0 \[token\]`
	for _, item := range row["token"] {
		return item.Value
	}
	return nil
}

// Fresh looks at the timestamps of a row.
func Fresh(row bigtable.Row, now bigtable.Timestamp) [][]byte { // want Fresh:`compare\(elem\(cells\(\$0, "token"\)\)\.Timestamp, \$1\); uses row \$0 \[token\]`
	var list [][]byte
	for _, item := range row["token"] {
		if item.Timestamp > now {
			list = append(list, item.Value)
		}
	}
	return list
}
