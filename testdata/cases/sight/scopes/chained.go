package scopes

import (
	"context"

	"cloud.google.com/go/bigtable"
)

type chain struct{ parts []bigtable.Filter }

func from(family string) *chain { return &chain{[]bigtable.Filter{bigtable.FamilyFilter(family)}} }

func (c *chain) take(n int) *chain {
	c.parts = append(c.parts, bigtable.LatestNFilter(n))
	return c
}

// What the maker has put there is not all: the one caller adds to it.
func (c *chain) build() bigtable.Filter { return bigtable.ChainFilters(c.parts...) }

func latest(ctx context.Context, t *bigtable.Table) (bigtable.Row, error) {
	return t.ReadRow(ctx, "k", bigtable.RowFilter(from("profile").take(1).build()))
}

// Here it is all.
func single(ctx context.Context, t *bigtable.Table) (bigtable.Row, error) {
	return t.ReadRow(ctx, "k", bigtable.RowFilter(from("profile").build())) // want `invalid-filter`
}
