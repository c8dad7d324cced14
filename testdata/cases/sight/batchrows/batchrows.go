// Package batchrows writes by way of a batch what the rows of a table of structs say: a
// table, its family and its clock, which are judged together.
package batchrows

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/batchrows/bat"
)

type job struct {
	table, family string
	stamp         func(until time.Time) bigtable.Timestamp
}

func expiry(until time.Time) bigtable.Timestamp { return bigtable.Time(until) }
func now(time.Time) bigtable.Timestamp          { return bigtable.Now() }

// batch collects what it applies later.
type batch struct {
	tbl  *bigtable.Table
	keys []string
	muts []*bigtable.Mutation
}

func (b *batch) add(key string, mut *bigtable.Mutation) {
	b.keys, b.muts = append(b.keys, key), append(b.muts, mut)
}

func (b *batch) flush(ctx context.Context) error {
	_, err := b.tbl.ApplyBulk(ctx, b.keys, b.muts)
	return err
}

// Each row has the clock of its table.
var right = []job{{"cache", "val", expiry}, {"plain", "val", now}, {"other", "val", now}}

func okRight(ctx context.Context, c *bigtable.Client, until time.Time) error {
	for _, j := range right {
		b := &batch{tbl: c.Open(j.table)}
		mut := bigtable.NewMutation()
		mut.Set(j.family, "c", j.stamp(until), nil)
		b.add("k", mut)
		if err := b.flush(ctx); err != nil {
			return err
		}
	}
	return nil
}

// The same with a batch of another package.
func okFar(ctx context.Context, c *bigtable.Client, until time.Time) error {
	for _, j := range right {
		b := bat.New(c.Open(j.table))
		mut := bigtable.NewMutation()
		mut.Set(j.family, "c", j.stamp(until), nil)
		b.Add("k", mut)
		if err := b.Flush(ctx); err != nil {
			return err
		}
	}
	return nil
}

// A branch sets table and clock.
func okBranch(ctx context.Context, c *bigtable.Client, until time.Time, plain map[string]bool) error {
	tbl, ts := c.Open("cache"), bigtable.Time(until)
	if plain["k"] {
		tbl, ts = c.Open("plain"), bigtable.Now()
	}
	b := bat.New(tbl)
	mut := bigtable.NewMutation()
	mut.Set("val", "c", ts, nil)
	b.Add("k", mut)
	return b.Flush(ctx)
}

func branchWrong(ctx context.Context, c *bigtable.Client, until time.Time, plain map[string]bool) error {
	tbl, ts := c.Open("cache"), bigtable.Now()
	if plain["k"] {
		tbl, ts = c.Open("plain"), bigtable.Time(until)
	}
	b := bat.New(tbl)
	mut := bigtable.NewMutation()
	mut.Set("val", "c", ts, nil) // want `write-time: .*"val" of table "cache"`
	b.Add("k", mut)
	return b.Flush(ctx)
}

// Rows of which several have one table, and several one clock.
var many = []job{{"cache", "val", expiry}, {"plain", "val", now}, {"cache", "val", expiry}, {"plain", "val", now}, {"plain", "val", expiry}}

func okMany(ctx context.Context, c *bigtable.Client, until time.Time) error {
	for _, j := range many {
		b := bat.New(c.Open(j.table))
		mut := bigtable.NewMutation()
		mut.Set(j.family, "c", j.stamp(until), nil)
		b.Add("k", mut)
		if err := b.Flush(ctx); err != nil {
			return err
		}
	}
	return nil
}

// A batch of all rows is for one table, whichever row a mutation is of.
func oneWrong(ctx context.Context, c *bigtable.Client, until time.Time) error {
	b := bat.New(c.Open("cache"))
	for _, j := range right {
		mut := bigtable.NewMutation()
		mut.Set(j.family, "c", j.stamp(until), nil) // want `write-time: .*"val" of table "cache"`
		b.Add("k", mut)
	}
	return b.Flush(ctx)
}

// queue is a batch of which the rows with a wrong clock are.
type queue struct {
	tbl  *bigtable.Table
	keys []string
	muts []*bigtable.Mutation
}

func (b *queue) add(key string, mut *bigtable.Mutation) {
	b.keys, b.muts = append(b.keys, key), append(b.muts, mut)
}

func (b *queue) flush(ctx context.Context) error {
	_, err := b.tbl.ApplyBulk(ctx, b.keys, b.muts)
	return err
}

var wrong = []job{{"plain", "val", expiry}, {"cache", "val", now}, {"other", "val", expiry}}

func nearWrong(ctx context.Context, c *bigtable.Client, until time.Time) error {
	for _, j := range wrong {
		b := &queue{tbl: c.Open(j.table)}
		mut := bigtable.NewMutation()
		mut.Set(j.family, "c", j.stamp(until), nil) // want `write-time: .*"val" of table "cache"`
		b.add("k", mut)
		if err := b.flush(ctx); err != nil {
			return err
		}
	}
	return nil
}

func farWrong(ctx context.Context, c *bigtable.Client, until time.Time) error {
	for _, j := range wrong {
		b := bat.New(c.Open(j.table))
		mut := bigtable.NewMutation()
		mut.Set(j.family, "c", j.stamp(until), nil) // want `write-time: .*"val" of table "cache"`
		b.Add("k", mut)
		if err := b.Flush(ctx); err != nil {
			return err
		}
	}
	return nil
}
