// Package counter counts in a field, outside of the method that writes.
package counter

import (
	"context"

	"cloud.google.com/go/bigtable"
)

type tracker struct{ n, right int64 }

func run(ctx context.Context, c *bigtable.Client, in <-chan string) error {
	t := &tracker{}
	for k := range in {
		t.n++
		t.right += 1000
		if err := c.Open("eu-ledger").Apply(ctx, k, t.mutation()); err != nil {
			return err
		}
	}
	return nil
}

// One finding, not another for the number that it begins with.
func (t *tracker) mutation() *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.Set("entry", "n", bigtable.Timestamp(t.n), nil) // want `^unscaled-sequence`
	m.Set("entry", "right", bigtable.Timestamp(t.right), nil)
	return m
}

type plain struct{ n int64 }

// In an ordinary family the unit is wrong.
func ordinary(ctx context.Context, c *bigtable.Client, k string) error {
	p := &plain{}
	p.n++
	return c.Open("metrics").Apply(ctx, k, p.mutation())
}

func (p *plain) mutation() *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.Set("meta", "n", bigtable.Timestamp(p.n), nil) // want `sub-millisecond`
	return m
}
