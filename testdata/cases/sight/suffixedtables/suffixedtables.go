// Package suffixedtables keeps a table in a field of what its functions are given: every
// object has the one of its tenant, whose name has a known end.
package suffixedtables

import (
	"context"

	"cloud.google.com/go/bigtable"
)

// Pages are those of a tenant.
type Pages struct{ t *bigtable.Table }

// Open opens them.
func Open(c *bigtable.Client, tenant string) *Pages { return &Pages{t: c.Open(tenant + "-diary")} }

// Promote writes one.
func Promote(ctx context.Context, to *Pages, row string) error {
	m := bigtable.NewMutation()
	m.Set("page", "text", bigtable.Now(), nil) // want `clock-in-sequence: .*"page" of table "\*-diary"`
	return to.t.Apply(ctx, row, m)
}

// Plain pages are real ones.
type Plain struct{ t *bigtable.Table }

func openPlain(c *bigtable.Client) *Plain { return &Plain{t: c.Open("diaries")} }

// Copy writes one.
func Copy(ctx context.Context, to *Plain, row string) error {
	m := bigtable.NewMutation()
	m.Set("page", "text", bigtable.Now(), nil)
	return to.t.Apply(ctx, row, m)
}

// Any pages have a table of whatever name.
type Any struct{ t *bigtable.Table }

// OpenAny opens them.
func OpenAny(c *bigtable.Client, name string) *Any { return &Any{t: c.Open(name)} }

// Put writes one.
func Put(ctx context.Context, to *Any, row string) error {
	m := bigtable.NewMutation()
	m.Set("page", "text", bigtable.Now(), nil)
	return to.t.Apply(ctx, row, m)
}

func okPlain(ctx context.Context, c *bigtable.Client) error {
	return Copy(ctx, openPlain(c), "r")
}
