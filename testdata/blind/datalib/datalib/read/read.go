// Package read has the filters and read helpers that all stores share.
package read

import (
	"context"
	"errors"
	"time"

	"cloud.google.com/go/bigtable"
)

// ErrNotFound is returned for rows without a live cell.
var ErrNotFound = errors.New("read: not found")

// Live keeps the cells that have not expired.
func Live() bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Now(), time.Time{})
}

// Within keeps the cells younger than d.
func Within(d time.Duration) bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Now().Add(-d), time.Time{})
}

// LiveIn keeps the live cells of one family.
func LiveIn(family string) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(family), Live())
}

// Latest keeps n versions.
func Latest(n int) bigtable.Filter { return bigtable.LatestNFilter(n) }

// Column keeps one column of one family.
func Column(family, col string) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(family), bigtable.ColumnFilter(col))
}

// Until keeps what lies before now.
func Until() bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Time{}, time.Now())
}

// Opt makes a read option of filters.
func Opt(fs ...bigtable.Filter) bigtable.ReadOption {
	if len(fs) == 1 {
		return bigtable.RowFilter(fs[0])
	}
	return bigtable.RowFilter(bigtable.ChainFilters(fs...))
}

// LiveOpt is the read option for families that expire.
func LiveOpt() bigtable.ReadOption { return bigtable.RowFilter(Live()) }

// Row reads one row and tells an empty row from an error.
func Row(ctx context.Context, tbl *bigtable.Table, key string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	row, err := tbl.ReadRow(ctx, key, opts...)
	if err != nil {
		return nil, err
	}
	if len(row) == 0 {
		return nil, ErrNotFound
	}
	return row, nil
}

// Scan calls f for every row under a prefix.
func Scan(ctx context.Context, tbl *bigtable.Table, prefix string, f func(bigtable.Row) error, opts ...bigtable.ReadOption) error {
	var inner error
	err := tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool {
		inner = f(r)
		return inner == nil
	}, opts...)
	if inner != nil {
		return inner
	}
	return err
}

// First returns the value of the first cell of a family.
func First(row bigtable.Row, family string) []byte {
	if items := row[family]; len(items) > 0 {
		return items[0].Value
	}
	return nil
}
