// Package lost gives filters to functions that put one of their own behind them.
package lost

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/lost/lib"
)

func latest(ctx context.Context, t *bigtable.Table, key string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	return t.ReadRow(ctx, key, append(opts, bigtable.RowFilter(bigtable.LatestNFilter(1)))...)
}

func through(ctx context.Context, t *bigtable.Table, key string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	return latest(ctx, t, key, opts...)
}

// whole loses its own filter, which no caller can help.
func whole(ctx context.Context, t *bigtable.Table, key string) (bigtable.Row, error) {
	return latest(ctx, t, key, bigtable.RowFilter(bigtable.FamilyFilter("a"))) // want `overridden-filter: read has 2`
}

func byDefault(ctx context.Context, t *bigtable.Table, key string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	return t.ReadRow(ctx, key, append([]bigtable.ReadOption{bigtable.RowFilter(bigtable.LatestNFilter(1))}, opts...)...)
}

func column() bigtable.ReadOption { return bigtable.RowFilter(bigtable.ColumnFilter("jwt")) }

func use(ctx context.Context, c *bigtable.Client, more []bigtable.ReadOption) {
	t := c.Open("archive")
	latest(ctx, t, "k")
	latest(ctx, t, "k", bigtable.LimitRows(1))
	latest(ctx, t, "k", more...)
	latest(ctx, t, "k", column())                                          // want `overridden-filter: read has 2`
	latest(ctx, t, "k", bigtable.RowFilter(bigtable.ColumnFilter("jwt")))  // want `overridden-filter: read has 2`
	through(ctx, t, "k", bigtable.RowFilter(bigtable.ColumnFilter("jwt"))) // want `overridden-filter: read has 2`
	latest(ctx, t, "k", bigtable.RowFilter(bigtable.LatestNFilter(1)))
	whole(ctx, t, "k")
	byDefault(ctx, t, "k", bigtable.RowFilter(bigtable.ColumnFilter("jwt")))
	opts := []bigtable.ReadOption{bigtable.RowFilter(bigtable.ColumnFilter("jwt"))}
	lib.Latest(ctx, t, "k", opts...) // want `overridden-filter: read has 2`
	lib.Latest(ctx, t, "k", bigtable.LimitRows(1))
	lib.Default(ctx, t, "k", opts...)
	lib.Scan(ctx, t, bigtable.LatestNFilter(1), func(bigtable.Row) bool { return true })
	lib.Scan(ctx, t, bigtable.LatestNFilter(1), func(bigtable.Row) bool { return true }, bigtable.LimitRows(5))
	lib.Scan(ctx, t, bigtable.LatestNFilter(1), func(bigtable.Row) bool { return true }, opts...) // want `overridden-filter: read has 2`
}

// decorated loses the column, and gets what lives of all.
func decorated(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	t := &lib.Table{Table: c.Open("otp")}
	if row, err := t.ReadRow(ctx, "k", bigtable.RowFilter(lib.Live())); err != nil {
		return row, err
	}
	if row, err := t.ReadRow(ctx, "k"); err != nil {
		return row, err
	}
	return t.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ColumnFilter("jwt"))) // want `overridden-filter: read`
}
