// Package store opens tables by a pattern, whose family has two meanings. What is
// wrong in a method is wrong there, whoever makes the object.
package store

import (
	"context"

	"cloud.google.com/go/bigtable"
)

// Diary is one of many.
type Diary struct{ tbl bigtable.TableAPI }

// Open opens the diary of a line.
func Open(c *bigtable.Client, line string) *Diary {
	return &Diary{tbl: c.OpenTable(line + "-diary")}
}

// Count counts.
func (d *Diary) Count(ctx context.Context, key string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment("page", "count", 1) // want `read-modify-write`
	_, err := d.tbl.ApplyReadModifyWrite(ctx, key, rmw)
	return err
}

// Advance writes under a condition.
func (d *Diary) Advance(ctx context.Context, key, due string, n int64) error {
	next := bigtable.NewMutation()
	next.Set("page", "state", bigtable.Timestamp(n*1000), nil)
	is := bigtable.ChainFilters(bigtable.FamilyFilter("page"), bigtable.ValueFilter(due))
	return d.tbl.Apply(ctx, key, bigtable.NewCondMutation(is, next, nil)) // want `conditional-mutation`
}

// Close writes.
func (d *Diary) Close(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set("page", "closed", bigtable.ServerTime, nil) // want `clock-in-sequence`
	return d.tbl.Apply(ctx, key, m)
}

// Any is of a table that callers name.
type Any struct{ tbl bigtable.TableAPI }

// Use takes any table.
func Use(c *bigtable.Client, table string) *Any { return &Any{tbl: c.OpenTable(table)} }

// Count counts.
func (a *Any) Count(ctx context.Context, key string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment("page", "count", 1)
	_, err := a.tbl.ApplyReadModifyWrite(ctx, key, rmw)
	return err
}
