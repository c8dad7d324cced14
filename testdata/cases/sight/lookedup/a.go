// Package lookedup chooses between times by what is in a map that is a parameter.
package lookedup

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func end() bigtable.Timestamp { return bigtable.Time(time.Now().Add(time.Hour)) }

func Param(ctx context.Context, c *bigtable.Client, f string, slow map[string]bool) error {
	ts := bigtable.ServerTime
	if slow[f] {
		ts = end()
	}
	m := bigtable.NewMutation()
	m.Set("ticket", f, ts, nil) // want `server-timestamp`
	return c.Open("tickets").Apply(ctx, f, m)
}

func Known(ctx context.Context, c *bigtable.Client, f string, lifetimes map[string]time.Duration) error {
	ts := bigtable.Now()
	if d, ok := lifetimes[f]; ok {
		ts = bigtable.Time(time.Now().Add(d))
	}
	m := bigtable.NewMutation()
	m.Set("ticket", f, ts, nil) // want `write-time`
	return c.Open("tickets").Apply(ctx, f, m)
}

// A flag decides.
func OkFlag(ctx context.Context, c *bigtable.Client, slow bool) error {
	ts := bigtable.ServerTime
	if slow {
		ts = end()
	}
	m := bigtable.NewMutation()
	m.Set("ticket", "a", ts, nil)
	return c.Open("tickets").Apply(ctx, "k", m)
}

// So does a list that is given.
func OkList(ctx context.Context, c *bigtable.Client, flags []bool) error {
	ts := bigtable.ServerTime
	if flags[0] {
		ts = end()
	}
	m := bigtable.NewMutation()
	m.Set("ticket", "a", ts, nil)
	return c.Open("tickets").Apply(ctx, "k", m)
}
