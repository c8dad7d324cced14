package bt

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// Live passes the cells that expire at now or later; for families whose timestamp is the expiry.
func Live(now time.Time) bigtable.Filter {
	return bigtable.TimestampRangeFilter(now, time.Time{})
}

// Within passes the cells of the last age.
func Within(now time.Time, age time.Duration) bigtable.Filter {
	return bigtable.TimestampRangeFilter(now.Add(-age), time.Time{})
}

// In restricts f to one family and the newest cell of each column.
func In(family string, f bigtable.Filter) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(family), f, bigtable.LatestNFilter(1))
}

// LatestIn passes the newest cell of each column of one family.
func LatestIn(family string) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(family), bigtable.LatestNFilter(1))
}

// Column restricts to one column.
func Column(family, column string) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(family), bigtable.ColumnFilter(column))
}

// query collects the options of Get and Scan.
type query struct {
	filters []bigtable.Filter
	limit   int64
	reverse bool
}

// Option is an option of Get and Scan.
type Option func(*query)

// WithFamily reads one family.
func WithFamily(family string) Option {
	return func(q *query) { q.filters = append(q.filters, bigtable.FamilyFilter(family)) }
}

// WithColumn reads one column.
func WithColumn(column string) Option {
	return func(q *query) { q.filters = append(q.filters, bigtable.ColumnFilter(column)) }
}

// WithLive leaves expired cells out.
func WithLive(now time.Time) Option {
	return func(q *query) { q.filters = append(q.filters, Live(now)) }
}

// WithMaxAge leaves out cells older than age.
func WithMaxAge(now time.Time, age time.Duration) Option {
	return func(q *query) { q.filters = append(q.filters, Within(now, age)) }
}

// WithLatest reads n cells of each column.
func WithLatest(n int) Option {
	return func(q *query) { q.filters = append(q.filters, bigtable.LatestNFilter(n)) }
}

// WithLimit reads at most n rows.
func WithLimit(n int64) Option {
	return func(q *query) { q.limit = n }
}

// Newest scans backwards.
func Newest() Option {
	return func(q *query) { q.reverse = true }
}

func (q *query) readOptions() []bigtable.ReadOption {
	var opts []bigtable.ReadOption
	switch len(q.filters) {
	case 0:
	case 1:
		opts = append(opts, bigtable.RowFilter(q.filters[0]))
	default:
		opts = append(opts, bigtable.RowFilter(bigtable.ChainFilters(q.filters...)))
	}
	if q.limit > 0 {
		opts = append(opts, bigtable.LimitRows(q.limit))
	}
	if q.reverse {
		opts = append(opts, bigtable.ReverseScan())
	}
	return opts
}

// Get reads one row.
func Get(ctx context.Context, tbl Table, key string, opts ...Option) (bigtable.Row, error) {
	var q query
	for _, o := range opts {
		o(&q)
	}
	row, err := tbl.ReadRow(ctx, key, q.readOptions()...)
	if err != nil {
		return nil, err
	}
	if len(row) == 0 {
		return nil, ErrNotFound
	}
	return row, nil
}

// Scan reads the rows of a prefix.
func Scan(ctx context.Context, tbl Table, prefix string, f func(bigtable.Row) bool, opts ...Option) error {
	var q query
	for _, o := range opts {
		o(&q)
	}
	return tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), f, q.readOptions()...)
}

// ReadAs reads one row and decodes it.
func ReadAs[T any](ctx context.Context, tbl Table, key string, decode func(bigtable.Row) (T, error), opts ...bigtable.ReadOption) (T, error) {
	row, err := tbl.ReadRow(ctx, key, opts...)
	if err != nil {
		var zero T
		return zero, err
	}
	if len(row) == 0 {
		var zero T
		return zero, ErrNotFound
	}
	return decode(row)
}
