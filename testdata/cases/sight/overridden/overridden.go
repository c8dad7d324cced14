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

// through reads with what it is given.
func through(ctx context.Context, c *bigtable.Client, table, key string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	return c.Open(table).ReadRow(ctx, key, opts...)
}

func further(ctx context.Context, c *bigtable.Client, key string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	return through(ctx, c, "weather", key, opts...)
}

// GivesTwo gives a wrapper two filters, whatever the table and what it uses of the row.
func GivesTwo(ctx context.Context, c *bigtable.Client) {
	row, _ := through(ctx, c, "weather", "k", bigtable.RowFilter(bigtable.ColumnFilter("max")), bigtable.RowFilter(bigtable.FamilyFilter("sum"))) // want `overridden-filter: read has 2`
	_ = row["sum"]
	through(ctx, c, "weather", "k", bigtable.RowFilter(bigtable.ColumnFilter("max")), bigtable.RowFilter(bigtable.FamilyFilter("sum"))) // want `overridden-filter: read has 2`
	through(ctx, c, "otp", "k", bigtable.RowFilter(bigtable.ColumnFilter("max")), bigtable.RowFilter(bigtable.FamilyFilter("code")))    // want `overridden-filter: read of .*"code" of table "otp" has 2`
	opts := []bigtable.ReadOption{bigtable.RowFilter(bigtable.ColumnFilter("max")), bigtable.RowFilter(bigtable.FamilyFilter("sum"))}
	further(ctx, c, "k", opts...) // want `overridden-filter: read has 2`
	scan(ctx, c, "weather")
}

var (
	daily = bigtable.RowFilter(bigtable.ColumnFilter("day"))
	last  = bigtable.RowFilter(bigtable.LatestNFilter(1))
)

// scan has both filters itself: its callers supply the table.
func scan(ctx context.Context, c *bigtable.Client, table string) (bigtable.Row, error) {
	return c.Open(table).ReadRow(ctx, "k", daily, last) // want `overridden-filter: read has 2`
}

// latest adds its filter behind all that it is given.
func latest(ctx context.Context, c *bigtable.Client, table string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	return c.Open(table).ReadRow(ctx, "k", append(opts, last)...)
}

// Loses gives a filter that never applies.
func Loses(ctx context.Context, c *bigtable.Client) {
	latest(ctx, c, "weather", daily) // want `overridden-filter: read has 2`
	latest(ctx, c, "weather", last)
	latest(ctx, c, "weather", bigtable.LimitRows(1))
}

// OkGivesOne gives a wrapper one filter.
func OkGivesOne(ctx context.Context, c *bigtable.Client) {
	row, _ := through(ctx, c, "weather", "k", bigtable.RowFilter(bigtable.FamilyFilter("sum")), bigtable.LimitRows(1))
	_ = row["sum"]
	OkOverruled(ctx, c.Open("weather"), "k", last)
}

// flagged has two filters where a caller says so.
func flagged(ctx context.Context, t *bigtable.Table, keysOnly bool) (keys []string, err error) {
	opts := []bigtable.ReadOption{bigtable.RowFilter(bigtable.FamilyFilter("token"))}
	if keysOnly {
		opts = append(opts, bigtable.RowFilter(bigtable.StripValueFilter()))
	}
	err = t.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		keys = append(keys, row.Key())
		return true
	}, opts...)
	return keys, err
}

// Flags says so, whatever the table, or does not.
func Flags(ctx context.Context, c *bigtable.Client, name string) {
	flagged(ctx, c.Open("weather"), true)  // want `overridden-filter: read has 2`
	flagged(ctx, c.Open(name), true)       // want `overridden-filter: read has 2`
	flagged(ctx, c.Open("sessions"), true) // want `overridden-filter: read of .* has 2`
	flagged(ctx, c.Open("weather"), false)
	flagged(ctx, c.Open("sessions"), false)
}

// always has two filters, whatever its callers supply.
func always(ctx context.Context, t *bigtable.Table) (keys []string, err error) {
	err = t.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want `overridden-filter: read has 2`
		keys = append(keys, row.Key())
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter("token")), bigtable.RowFilter(bigtable.StripValueFilter()))
	return keys, err
}

// OkAlways supplies the table.
func OkAlways(ctx context.Context, c *bigtable.Client) {
	always(ctx, c.Open("weather"))
	always(ctx, c.Open("sessions"))
}
