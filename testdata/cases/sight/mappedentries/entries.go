// Package mappedentries applies in parts what a generic function has collected.
package mappedentries

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/mappedentries/fp"
)

type entry struct {
	key string
	mut *bigtable.Mutation
}

func collect[T, U any](in []T, f func(T) U) []U {
	var out []U
	for _, v := range in {
		out = append(out, f(v))
	}
	return out
}

func bulk(ctx context.Context, tbl *bigtable.Table, entries []entry) error {
	for start := 0; start < len(entries); start += 500 {
		part := entries[start:min(start+500, len(entries))]
		keys := make([]string, len(part))
		muts := make([]*bigtable.Mutation, len(part))
		for i, e := range part {
			keys[i], muts[i] = e.key, e.mut
		}
		if _, err := tbl.ApplyBulk(ctx, keys, muts); err != nil {
			return err
		}
	}
	return nil
}

func okUnregistered(ctx context.Context, c *bigtable.Client, ids []string) error {
	entries := collect(ids, func(id string) entry {
		mut := bigtable.NewMutation()
		mut.Set("token", "a", bigtable.Now(), nil)
		return entry{id, mut}
	})
	return bulk(ctx, c.Open("mirror"), entries)
}

func okMapped(ctx context.Context, c *bigtable.Client, ids []string) error {
	entries := fp.Map(ids, func(id string) entry {
		mut := bigtable.NewMutation()
		mut.Set("token", "a", bigtable.Now(), nil)
		return entry{id, mut}
	})
	return bulk(ctx, c.Open("mirror"), entries)
}

func collected(ctx context.Context, c *bigtable.Client, ids []string) error {
	entries := collect(ids, func(id string) entry {
		mut := bigtable.NewMutation()
		mut.Set("token", "a", bigtable.Now(), nil) // want `write-time: .*"token" of table "sessions"`
		return entry{id, mut}
	})
	return bulk(ctx, c.Open("sessions"), entries)
}

func mapped(ctx context.Context, c *bigtable.Client, ids []string) error {
	entries := fp.Map(ids, func(id string) entry {
		mut := bigtable.NewMutation()
		mut.Set("val", "a", bigtable.Now(), nil) // want `clock-in-sequence: .*"val" of table "history"`
		return entry{id, mut}
	})
	return bulk(ctx, c.Open("history"), entries)
}
