package mapper

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// Query builds the filter of a read, in the order of its calls.
type Query struct {
	filters []bigtable.Filter
	limit   int64
}

// Where starts a query.
func Where() *Query { return &Query{} }

// Family keeps one family.
func (q *Query) Family(name string) *Query {
	q.filters = append(q.filters, bigtable.FamilyFilter(name))
	return q
}

// Column keeps columns.
func (q *Query) Column(pattern string) *Query {
	q.filters = append(q.filters, bigtable.ColumnFilter(pattern))
	return q
}

// Latest keeps the newest n cells of each column.
func (q *Query) Latest(n int) *Query {
	q.filters = append(q.filters, bigtable.LatestNFilter(n))
	return q
}

// Since keeps cells whose timestamps are t or later.
func (q *Query) Since(t time.Time) *Query {
	q.filters = append(q.filters, bigtable.TimestampRangeFilter(t, time.Time{}))
	return q
}

// Until keeps cells whose timestamps are before t.
func (q *Query) Until(t time.Time) *Query {
	q.filters = append(q.filters, bigtable.TimestampRangeFilter(time.Time{}, t))
	return q
}

// Between keeps cells whose timestamps are from one time to another.
func (q *Query) Between(from, to time.Time) *Query {
	q.filters = append(q.filters, bigtable.TimestampRangeFilter(from, to))
	return q
}

// Live keeps what has not expired, of families whose timestamps are moments of expiry.
func (q *Query) Live() *Query { return q.Since(time.Now()) }

// PerRow limits the cells of a row.
func (q *Query) PerRow(n int) *Query {
	q.filters = append(q.filters, bigtable.CellsPerRowLimitFilter(n))
	return q
}

// Limit limits the rows.
func (q *Query) Limit(n int64) *Query {
	q.limit = n
	return q
}

// Filter is the filter of all parts.
func (q *Query) Filter() bigtable.Filter {
	switch len(q.filters) {
	case 0:
		return bigtable.PassAllFilter()
	case 1:
		return q.filters[0]
	}
	return bigtable.ChainFilters(q.filters...)
}

// Options are the read options of a query; none for nil.
func (q *Query) Options() []bigtable.ReadOption {
	if q == nil {
		return nil
	}
	opts := []bigtable.ReadOption{bigtable.RowFilter(q.Filter())}
	if q.limit > 0 {
		opts = append(opts, bigtable.LimitRows(q.limit))
	}
	return opts
}
