// Package ctor uses objects that another package's constructors make of
// nothing, or of a clock.
package ctor

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/ctor/stamp"
)

func put(m *bigtable.Mutation, p stamp.Policy) { m.Set("token", "jwt", p.Next(), nil) }

func writes(m *bigtable.Mutation) {
	put(m, stamp.NewServer())                   // want `server timestamp`
	put(m, stamp.NewWall(stamp.System{}))       // want `uses the current time`
	put(m, &stamp.Server{})                     // want `server timestamp`
	put(m, stamp.NewServerPolicy())             // want `server timestamp`
	put(m, stamp.NewWallPolicy(stamp.System{})) // want `uses the current time`
	put(m, stamp.NewExpiryPolicy(stamp.System{}, time.Hour))
	put(m, stamp.PolicyFor("server")) // want `server timestamp`
	put(m, stamp.PolicyFor("expiry"))
}

type writer struct{ p stamp.Policy }

func newWriter(p stamp.Policy) *writer { return &writer{p} }

func (w *writer) put(m *bigtable.Mutation) { m.Set("token", "jwt", w.p.Next(), nil) }

func stored(m *bigtable.Mutation) {
	newWriter(stamp.NewExpiryPolicy(stamp.System{}, time.Hour)).put(m)
	newWriter(stamp.NewServerPolicy()).put(m) // want `server timestamp`
}

func filters(ctx context.Context, c *bigtable.Client) []byte {
	f := stamp.NewBuilder().Family("token").Latest(1).Build()
	row, _ := c.Open("sessions").ReadRow(ctx, "r", bigtable.RowFilter(f)) // want `lets expired cells pass`
	g := stamp.NewBuilder().Family("token").Live(time.Now()).Latest(1).Build()
	good, _ := c.Open("sessions").ReadRow(ctx, "r", bigtable.RowFilter(g))
	return append(row["token"][0].Value, good["token"][0].Value...)
}

func factories(ctx context.Context, c *bigtable.Client) []byte {
	return append(inspect(ctx, c, stamp.NewPlain()), inspect(ctx, c, stamp.NewLive(stamp.System{}))...) // want `lets expired cells pass`
}

func inspect(ctx context.Context, c *bigtable.Client, f stamp.Factory) []byte {
	row, _ := c.Open("sessions").ReadRow(ctx, "r", bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("token"), f.Live())))
	return row["token"][0].Value
}
