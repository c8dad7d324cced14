// Package query builds reads step by step, for the callers who find options
// too low a level.
package query

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"tramline.example/dal"
)

// Query is a read that is being built.
type Query struct {
	tbl     dal.Reader
	clock   dal.Clock
	filters []bigtable.Filter
	limit   int64
}

// From starts a query.
func From(tbl dal.Reader, clock dal.Clock) *Query { return &Query{tbl: tbl, clock: clock} }

// Where adds a filter.
func (q *Query) Where(f bigtable.Filter) *Query {
	q.filters = append(q.filters, f)
	return q
}

// Family restricts the query to a family.
func (q *Query) Family(name string) *Query { return q.Where(bigtable.FamilyFilter(name)) }

// Column restricts the query to columns.
func (q *Query) Column(pattern string) *Query { return q.Where(bigtable.ColumnFilter(pattern)) }

// Alive leaves out what has expired.
func (q *Query) Alive() *Query { return q.Where(dal.Live(q.clock)) }

// Within leaves out what is older than d.
func (q *Query) Within(d time.Duration) *Query { return q.Where(dal.Younger(q.clock, d)) }

// Newest keeps n versions.
func (q *Query) Newest(n int) *Query { return q.Where(bigtable.LatestNFilter(n)) }

// Limit limits the rows.
func (q *Query) Limit(n int64) *Query {
	q.limit = n
	return q
}

func (q *Query) options() []bigtable.ReadOption {
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
	return opts
}

// One reads a row.
func (q *Query) One(ctx context.Context, key string) (bigtable.Row, error) {
	return q.tbl.ReadRow(ctx, key, q.options()...)
}

// Each reads the rows of a prefix.
func (q *Query) Each(ctx context.Context, prefix string, f func(bigtable.Row) bool) error {
	return q.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), f, q.options()...)
}
