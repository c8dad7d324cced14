// Package parts puts filters together by functions in a list: what they make of it,
// one after the other, is not known, and neither is how many filters there are.
package parts

import (
	"context"

	"cloud.google.com/go/bigtable"
)

type part func([]bigtable.Filter) []bigtable.Filter

func versions(n int) part {
	return func(fs []bigtable.Filter) []bigtable.Filter {
		return append(fs, bigtable.FamilyFilter("entry"), bigtable.LatestNFilter(n))
	}
}

func columns(p string) part {
	return func(fs []bigtable.Filter) []bigtable.Filter { return append(fs, bigtable.ColumnFilter(p)) }
}

func build(parts ...part) bigtable.Filter {
	var fs []bigtable.Filter
	for _, p := range parts {
		fs = p(fs)
	}
	return and(fs...)
}

func and(fs ...bigtable.Filter) bigtable.Filter {
	switch len(fs) {
	case 0:
		return bigtable.PassAllFilter()
	case 1:
		return fs[0]
	}
	return bigtable.ChainFilters(fs...)
}

func unrolled(a, b part) bigtable.Filter { return bigtable.ChainFilters(b(a(nil))...) }

func okBuilt(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("bank-ledger").ReadRow(ctx, "k", bigtable.RowFilter(build(versions(1), columns("doc"))))
}

func okUnrolled(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("bank-ledger").ReadRow(ctx, "k", bigtable.RowFilter(unrolled(versions(1), columns("doc"))))
}

func tooMany(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("bank-ledger").ReadRow(ctx, "k", bigtable.RowFilter(unrolled(versions(100), columns("doc")))) // want `version-limit: .*"entry"`
}
