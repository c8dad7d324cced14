// Package rowrules has tables of rules: a table, a filter, and a function for the rows.
package rowrules

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type rule struct {
	table  string
	filter func(now time.Time) bigtable.Filter
	mutate func(row bigtable.Row, now time.Time) *bigtable.Mutation
}

func clicks(now time.Time) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter("event"), bigtable.TimestampRangeFilter(now.Add(-720*time.Hour), time.Time{}))
}

func seen(row bigtable.Row, now time.Time) *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.Set("event", "seen", bigtable.Time(now), row["event"][0].Value)
	return m
}

// The function for the first compares the cells' times.
var rules = []rule{
	{"sessions", func(time.Time) bigtable.Filter { return bigtable.FamilyFilter("token") }, func(row bigtable.Row, now time.Time) *bigtable.Mutation {
		for _, it := range row["token"] {
			if it.Timestamp.Time().After(now) {
				return nil
			}
		}
		m := bigtable.NewMutation()
		m.DeleteRow()
		return m
	}},
	{"clicks", clicks, seen},
}

// Sweep goes by rules of which each looks at its own cells.
func Sweep(ctx context.Context, c *bigtable.Client) error {
	for _, r := range rules {
		t, now := c.Open(r.table), time.Now()
		err := t.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
			if m := r.mutate(row, now); m != nil {
				_ = t.Apply(ctx, row.Key(), m)
			}
			return true
		}, bigtable.RowFilter(r.filter(now)))
		if err != nil {
			return err
		}
	}
	return nil
}

// The function for the first compares nothing.
var lax = []rule{
	{"sessions", func(time.Time) bigtable.Filter { return bigtable.FamilyFilter("token") }, func(row bigtable.Row, now time.Time) *bigtable.Mutation {
		m := bigtable.NewMutation()
		m.Set("token", "copy", bigtable.Time(now.Add(time.Hour)), row["token"][0].Value)
		return m
	}},
	{"clicks", clicks, seen},
}

// Copy goes by them.
func Copy(ctx context.Context, c *bigtable.Client) error {
	for _, r := range lax {
		t, now := c.Open(r.table), time.Now()
		err := t.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
			_ = t.Apply(ctx, row.Key(), r.mutate(row, now))
			return true
		}, bigtable.RowFilter(r.filter(now))) // want `missing-filter: .*"token"`
		if err != nil {
			return err
		}
	}
	return nil
}
