// Package specoptions makes read options out of specifications and counts.
package specoptions

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/specoptions/spec"
)

func opts(n int, extra ...bigtable.Filter) []bigtable.ReadOption {
	var fs []bigtable.Filter
	fs = append(fs, extra...)
	if n > 0 {
		fs = append(fs, bigtable.LatestNFilter(n))
	}
	switch len(fs) {
	case 0:
		return nil
	case 1:
		return []bigtable.ReadOption{bigtable.RowFilter(fs[0])}
	}
	return []bigtable.ReadOption{bigtable.RowFilter(bigtable.ChainFilters(fs...))}
}

func okOne(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("main-ledger").ReadRow(ctx, "k", opts(1, bigtable.FamilyFilter("entry"))...)
}

func all(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("main-ledger").ReadRow(ctx, "k", opts(0, bigtable.FamilyFilter("entry"))...) // want `version-limit: .*"entry"`
}

func none(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("main-ledger").ReadRow(ctx, "k", opts(0)...) // want `missing-filter: .*"entry"`
}

func okCount(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("main-ledger").ReadRow(ctx, "k", opts(3)...)
}

func latest(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	s := &spec.Spec{Family: "token", Column: "holder", Latest: 1}
	return c.Open("sessions").ReadRow(ctx, "k", s.Options()...) // want `missing-filter: .*"token"`
}

func bare(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("sessions").ReadRow(ctx, "k", (&spec.Spec{Family: "token"}).Options()...) // want `missing-filter: .*"token"`
}

func okLive(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	s := &spec.Spec{Family: "token", Live: true, Keys: true, Limit: 3}
	return c.Open("sessions").ReadRow(ctx, "k", s.Options()...)
}

func okAge(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	s := &spec.Spec{Family: "event", MaxAge: 720 * time.Hour}
	return c.Open("clicks").ReadRow(ctx, "k", s.Options()...)
}

func age(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	s := &spec.Spec{Family: "event", MaxAge: 24 * time.Hour, Latest: 1, Reversed: true}
	return c.Open("clicks").ReadRow(ctx, "k", s.Options()...) // want `wrong-bound: .*"event"`
}

func okUnknown(ctx context.Context, c *bigtable.Client, s spec.Spec) (bigtable.Row, error) {
	return c.Open("sessions").ReadRow(ctx, "k", s.Options()...)
}
