// Package units writes numbers under families that constructors store.
package units

import (
	"context"

	"cloud.google.com/go/bigtable"
)

// S writes into a family.
type S struct {
	tbl    bigtable.TableAPI
	family string
}

// New returns what writes into a family of a table.
func New(tbl bigtable.TableAPI, family string) *S { return &S{tbl, family} }

// Put writes one version.
func (s *S) Put(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	mut.Set(s.family, "doc", bigtable.Timestamp(12345), nil)
	return s.tbl.Apply(ctx, key, mut)
}

// Use writes numbers.
func Use(ctx context.Context, c *bigtable.Client) error {
	return New(c.OpenTable("acme-ledger"), "entry").Put(ctx, "k") // want `unscaled-sequence: .*"entry"`
}

// O writes into a family of which nothing is registered.
type O struct {
	tbl    bigtable.TableAPI
	family string
}

// NewO returns what writes into a family of a table.
func NewO(tbl bigtable.TableAPI, family string) *O { return &O{tbl, family} }

// Put writes one version.
func (o *O) Put(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	mut.Set(o.family, "doc", bigtable.Timestamp(12345), nil) // want `sub-millisecond`
	return o.tbl.Apply(ctx, key, mut)
}

// UseO writes numbers.
func UseO(ctx context.Context, c *bigtable.Client) error {
	return NewO(c.OpenTable("metrics"), "sample").Put(ctx, "k")
}
