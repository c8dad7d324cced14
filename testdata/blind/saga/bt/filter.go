package bt

import (
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/saga/clock"
)

// Live passes the cells that expire after now.
func Live(c clock.Clock) bigtable.Filter {
	return bigtable.TimestampRangeFilter(c.Now(), time.Time{})
}

// Since passes the cells of the last d.
func Since(c clock.Clock, d time.Duration) bigtable.Filter {
	return bigtable.TimestampRangeFilter(c.Now().Add(-d), time.Time{})
}

// Between passes the cells of [from, to).
func Between(from, to time.Time) bigtable.Filter {
	return bigtable.TimestampRangeFilter(from, to)
}

// In restricts f to a family.
func In(family string, f bigtable.Filter) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(family), f)
}

// Column restricts f to one column of a family.
func Column(family, column string, f bigtable.Filter) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(family), bigtable.ColumnFilter(column), f)
}

// Newest passes the newest cell of each column.
func Newest() bigtable.Filter { return bigtable.LatestNFilter(1) }

// Query collects filters.
type Query struct {
	clk   clock.Clock
	parts []bigtable.Filter
	limit int64
}

// NewQuery starts a query that takes the time from c.
func NewQuery(c clock.Clock) *Query { return &Query{clk: c} }

// Family restricts the query to a family.
func (q *Query) Family(name string) *Query {
	q.parts = append(q.parts, bigtable.FamilyFilter(name))
	return q
}

// Live drops what has expired.
func (q *Query) Live() *Query {
	q.parts = append(q.parts, Live(q.clk))
	return q
}

// Since keeps the cells of the last d.
func (q *Query) Since(d time.Duration) *Query {
	q.parts = append(q.parts, Since(q.clk, d))
	return q
}

// Latest keeps n cells a column.
func (q *Query) Latest(n int) *Query {
	q.parts = append(q.parts, bigtable.LatestNFilter(n))
	return q
}

// Limit stops after n rows.
func (q *Query) Limit(n int64) *Query { q.limit = n; return q }

// Options are the read options of the query.
func (q *Query) Options() []bigtable.ReadOption {
	var opts []bigtable.ReadOption
	switch len(q.parts) {
	case 0:
	case 1:
		opts = append(opts, bigtable.RowFilter(q.parts[0]))
	default:
		opts = append(opts, bigtable.RowFilter(bigtable.ChainFilters(q.parts...)))
	}
	if q.limit > 0 {
		opts = append(opts, bigtable.LimitRows(q.limit))
	}
	return opts
}
