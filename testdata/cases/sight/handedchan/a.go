// Package handedchan has a channel that a constructor is given: what another
// function sends on it reaches the table of the loop.
package handedchan

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type writer struct {
	tbl *bigtable.Table
	in  <-chan *bigtable.Mutation
}

func newWriter(tbl *bigtable.Table, in <-chan *bigtable.Mutation) *writer {
	return &writer{tbl: tbl, in: in}
}

func (w *writer) run(ctx context.Context) {
	for mut := range w.in {
		_ = w.tbl.Apply(ctx, "k", mut)
	}
}

func serve(ctx context.Context, c *bigtable.Client) {
	history := make(chan *bigtable.Mutation)
	go newWriter(c.Open("history"), history).run(ctx)
	mut := bigtable.NewMutation()
	mut.Set("val", "c", bigtable.Now(), nil) // want `clock-in-sequence: .*"val" of table "history"`
	history <- mut
}

func okOther(ctx context.Context) {
	unread := make(chan *bigtable.Mutation)
	mut := bigtable.NewMutation()
	mut.Set("val", "c", bigtable.Time(time.Now().Add(time.Hour)), nil)
	unread <- mut
}

type pair struct {
	tbl *bigtable.Table
	in  <-chan *bigtable.Mutation
}

func newPair(tbl *bigtable.Table, in <-chan *bigtable.Mutation) *pair {
	return &pair{tbl: tbl, in: in}
}

func (p *pair) run(ctx context.Context) {
	for mut := range p.in {
		_ = p.tbl.Apply(ctx, "k", mut)
	}
}

// Of several channels nothing tells which object has which.
func okPairs(ctx context.Context, c *bigtable.Client) {
	history := make(chan *bigtable.Mutation)
	cache := make(chan *bigtable.Mutation)
	go newPair(c.Open("history"), history).run(ctx)
	go newPair(c.Open("cache"), cache).run(ctx)

	a := bigtable.NewMutation()
	a.Set("val", "c", bigtable.Timestamp(7*1000), nil)
	history <- a
	b := bigtable.NewMutation()
	b.Set("val", "c", bigtable.Time(time.Now().Add(time.Hour)), nil)
	cache <- b
}
