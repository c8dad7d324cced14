// Package overridden gives reads several filters.
package overridden

import (
	"context"

	"cloud.google.com/go/bigtable"
)

// Scan reads a table that no registry names.
func Scan(ctx context.Context, c *bigtable.Client, f func(bigtable.Row) bool) error {
	return c.Open("weather").ReadRows(ctx, bigtable.InfiniteRange(""), f, // want `overridden-filter`
		bigtable.RowFilter(bigtable.FamilyFilter("temperature")),
		bigtable.RowFilter(bigtable.LatestNFilter(1)))
}

// Unknown reads a table that it is given.
func Unknown(ctx context.Context, t *bigtable.Table, key string) (bigtable.Row, error) {
	return t.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ColumnFilter("a")), bigtable.RowFilter(bigtable.LatestNFilter(1))) // want `overridden-filter`
}

// Looped appends a filter per column.
func Looped(ctx context.Context, t *bigtable.Table, key string, columns []string) (bigtable.Row, error) {
	var opts []bigtable.ReadOption
	for _, c := range columns {
		opts = append(opts, bigtable.RowFilter(bigtable.ColumnFilter(c)))
	}
	return t.ReadRow(ctx, key, opts...) // want `overridden-filter`
}

// A Query asks for cells.
type Query struct {
	Column  string
	Newest  bool
	Options []bigtable.ReadOption
}

// Appended adds filters under flags.
func (q *Query) Appended(ctx context.Context, t *bigtable.Table, key string) (bigtable.Row, error) {
	var opts []bigtable.ReadOption
	if q.Column != "" {
		opts = append(opts, bigtable.RowFilter(bigtable.ColumnFilter(q.Column)))
	}
	if q.Newest {
		opts = append(opts, bigtable.RowFilter(bigtable.LatestNFilter(1)))
	}
	return t.ReadRow(ctx, key, opts...) // want `overridden-filter`
}

// OkOptions overrules a default.
func (q *Query) OkOptions(ctx context.Context, t *bigtable.Table, key string) (bigtable.Row, error) {
	opts := []bigtable.ReadOption{bigtable.RowFilter(bigtable.LatestNFilter(1))}
	return t.ReadRow(ctx, key, append(opts, q.Options...)...)
}

// OkParameters leaves the flags to callers.
func OkParameters(ctx context.Context, t *bigtable.Table, key, column string, newest bool) (bigtable.Row, error) {
	var opts []bigtable.ReadOption
	if column != "" {
		opts = append(opts, bigtable.RowFilter(bigtable.ColumnFilter(column)))
	}
	if newest {
		opts = append(opts, bigtable.RowFilter(bigtable.LatestNFilter(1)))
	}
	return t.ReadRow(ctx, key, opts...)
}

// Keyed appends a filter per column of a map.
func Keyed(ctx context.Context, t *bigtable.Table, key string, columns map[string]bool) (bigtable.Row, error) {
	opts := []bigtable.ReadOption{bigtable.LimitRows(1)}
	for c, wanted := range columns {
		if wanted {
			opts = append(opts, bigtable.RowFilter(bigtable.ColumnFilter(c)))
		}
	}
	return t.ReadRow(ctx, key, opts...) // want `overridden-filter`
}

// Added appends a filter per column to one.
func Added(ctx context.Context, t *bigtable.Table, columns []string, f func(bigtable.Row) bool) error {
	opts := []bigtable.ReadOption{bigtable.RowFilter(bigtable.LatestNFilter(1))}
	for i := range columns {
		opts = append(opts, bigtable.RowFilter(bigtable.ColumnFilter(columns[i])))
	}
	return t.ReadRows(ctx, bigtable.InfiniteRange(""), f, opts...) // want `overridden-filter`
}

// OkOne has one filter.
func OkOne(ctx context.Context, t *bigtable.Table, key string, n int64) (bigtable.Row, error) {
	opts := []bigtable.ReadOption{bigtable.RowFilter(bigtable.LatestNFilter(1))}
	if n > 0 {
		opts = append(opts, bigtable.LimitRows(n))
	}
	return t.ReadRow(ctx, key, opts...)
}

// OkEither has one of two.
func OkEither(ctx context.Context, t *bigtable.Table, key, column string) (bigtable.Row, error) {
	var opts []bigtable.ReadOption
	if column != "" {
		opts = append(opts, bigtable.RowFilter(bigtable.ColumnFilter(column)))
	} else {
		opts = append(opts, bigtable.RowFilter(bigtable.LatestNFilter(1)))
	}
	return t.ReadRow(ctx, key, opts...)
}

// OkFirst takes the first column that is given.
func OkFirst(ctx context.Context, t *bigtable.Table, key string, columns []string) (bigtable.Row, error) {
	var opts []bigtable.ReadOption
	for _, c := range columns {
		if c != "" {
			opts = append(opts, bigtable.RowFilter(bigtable.ColumnFilter(c)))
			break
		}
	}
	return t.ReadRow(ctx, key, opts...)
}

// OkChained collects the filters into one.
func OkChained(ctx context.Context, t *bigtable.Table, key string, columns []string) (bigtable.Row, error) {
	var fs []bigtable.Filter
	for _, c := range columns {
		fs = append(fs, bigtable.ColumnFilter(c))
	}
	return t.ReadRow(ctx, key, bigtable.RowFilter(bigtable.InterleaveFilters(fs...)), bigtable.LimitRows(1))
}

// OkOverruled lets callers overrule a default.
func OkOverruled(ctx context.Context, t *bigtable.Table, key string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	opts = append([]bigtable.ReadOption{bigtable.RowFilter(bigtable.LatestNFilter(1))}, opts...)
	return t.ReadRow(ctx, key, opts...)
}
