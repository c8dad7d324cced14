package samecounter

import (
	"context"
	"sync/atomic"

	"cloud.google.com/go/bigtable"
)

type gen struct {
	count atomic.Int64
	last  int64
}

func (g *gen) next() bigtable.Timestamp { return bigtable.Timestamp(g.count.Add(1) * 1000) }
func (g *gen) step() int64              { return g.count.Add(1000) }
func (g *gen) bump() int64              { g.last += 1000; return g.last }

func Atomic(ctx context.Context, c *bigtable.Client) error {
	var g gen
	m := bigtable.NewMutation()
	m.Set("state", "a", g.next(), []byte("1"))
	m.Set("state", "a", g.next(), []byte("2")) // silent
	m.Set("state", "b", bigtable.Timestamp(g.step()), []byte("1"))
	m.Set("state", "b", bigtable.Timestamp(g.step()), []byte("2")) // silent
	m.Set("state", "c", bigtable.Timestamp(g.bump()), []byte("1"))
	m.Set("state", "c", bigtable.Timestamp(g.bump()), []byte("2")) // silent
	return c.Open("devices").Apply(ctx, "k", m)
}

func Closure(ctx context.Context, c *bigtable.Client) error {
	var g gen
	m := bigtable.NewMutation()
	put := func(ts bigtable.Timestamp) { m.Set("state", "a", ts, nil) }
	put(bigtable.Timestamp(g.step()))
	put(bigtable.Timestamp(g.step())) // silent
	return c.Open("devices").Apply(ctx, "k", m)
}

func (g *gen) stepBy(by int64) int64 { return g.count.Add(by) }

func By(ctx context.Context, c *bigtable.Client) error {
	var g gen
	m := bigtable.NewMutation()
	m.Set("state", "a", bigtable.Timestamp(g.stepBy(1000)), nil)
	m.Set("state", "a", bigtable.Timestamp(g.stepBy(1000)), nil) // silent
	return c.Open("devices").Apply(ctx, "k", m)
}
