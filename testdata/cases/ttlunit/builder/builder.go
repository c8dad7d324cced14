// Package builder has filters that methods of a builder make, in a chain of
// calls: what they return is no filter, and a selector on it compares none.
package builder

import (
	"context"

	"cloud.google.com/go/bigtable"
)

type query struct{ parts []bigtable.Filter }

func from(f string) *query { return &query{[]bigtable.Filter{bigtable.FamilyFilter(f)}} }

func (q *query) take(n int) *query {
	q.parts = append(q.parts, bigtable.LatestNFilter(n))
	return q
}

func (q *query) build() bigtable.Filter { return bigtable.ChainFilters(q.parts...) }

func chained(ctx context.Context, t *bigtable.Table) (bigtable.Row, error) {
	return t.ReadRow(ctx, "k", bigtable.RowFilter(from("profile").take(0).build())) // want `invalid-filter: LatestNFilter\(0\)`
}

func declared(ctx context.Context, t *bigtable.Table) (bigtable.Row, error) {
	q := from("profile").take(0) // want `invalid-filter: LatestNFilter\(0\)`
	return t.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(q.parts...)))
}

func assigned(ctx context.Context, t *bigtable.Table) (bigtable.Row, error) {
	q := from("profile")
	q = q.take(0) // want `invalid-filter: LatestNFilter\(0\)`
	return t.ReadRow(ctx, "k", bigtable.RowFilter(q.build()))
}

func okChained(ctx context.Context, t *bigtable.Table) (bigtable.Row, error) {
	return t.ReadRow(ctx, "k", bigtable.RowFilter(from("profile").take(1).build()))
}

func okDeclared(ctx context.Context, t *bigtable.Table) (bigtable.Row, error) {
	q := from("profile").take(1)
	return t.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(q.parts...)))
}

// A filter that is only printed goes into no read.
func okPrinted() string {
	none := bigtable.LatestNFilter(0)
	return none.String()
}
