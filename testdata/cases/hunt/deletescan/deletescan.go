// Package deletescan has scans that do nothing but delete what they find,
// through a queue of mutations.
package deletescan

import (
	"context"
	"log"

	"cloud.google.com/go/bigtable"
)

type queue struct {
	keys []string
	muts []*bigtable.Mutation
}

func (q *queue) flush(ctx context.Context, tbl *bigtable.Table) error {
	_, err := tbl.ApplyBulk(ctx, q.keys, q.muts)
	return err
}

func rows(ctx context.Context, c *bigtable.Client, prefix string) error {
	tbl := c.Open("sessions")
	q := &queue{}
	err := tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool {
		mut := bigtable.NewMutation()
		mut.DeleteRow()
		q.keys = append(q.keys, row.Key())
		q.muts = append(q.muts, mut)
		return true
	})
	if err != nil {
		return err
	}
	return q.flush(ctx, tbl)
}

func columns(ctx context.Context, c *bigtable.Client, prefix, family string, names []string, dry bool) error {
	tbl := c.Open("sessions")
	q := &queue{}
	remove := func(row bigtable.Row) bool {
		var key string
		if family == "*" {
			key = row.Key()
		} else {
			key = row[family][0].Row
		}
		if dry {
			log.Printf("would delete %s", key)
		}
		mut := bigtable.NewMutation()
		for _, name := range names {
			mut.DeleteCellsInColumn(family, name)
		}
		q.keys = append(q.keys, key)
		q.muts = append(q.muts, mut)
		if len(q.keys) == 100 {
			if err := q.flush(ctx, tbl); err != nil {
				return false
			}
			q = &queue{}
		}
		return true
	}
	if err := tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), remove); err != nil {
		return err
	}
	return q.flush(ctx, tbl)
}
