// Package closuredeletes deletes in local closures and in functions that are given
// the mutation, and queues writes that carry their tables.
package closuredeletes

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/closuredeletes/queue"
)

func later() bigtable.Timestamp { return bigtable.Time(time.Now().Add(time.Hour)) }

func inClosure(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	clear := func() { mut.DeleteCellsInColumn("token", "a") } // want `delete-after-set: `
	mut.Set("token", "a", later(), nil)
	clear()
	return c.Open("sessions").Apply(ctx, "k", mut)
}

func okBefore(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	clear := func() { mut.DeleteCellsInColumn("token", "a") }
	clear()
	mut.Set("token", "a", later(), nil)
	return c.Open("sessions").Apply(ctx, "k", mut)
}

func inParameter(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	clear := func(column string) { mut.DeleteCellsInColumn("token", column) }
	mut.Set("token", "a", later(), nil)
	clear("b")
	clear("a") // want `delete-after-set: `
	return c.Open("sessions").Apply(ctx, "k", mut)
}

func clearColumn(mut *bigtable.Mutation, column string) { mut.DeleteCellsInColumn("token", column) }

func given(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "a", later(), nil)
	clearColumn(mut, "b")
	clearColumn(mut, "a") // want `delete-after-set: `
	return c.Open("sessions").Apply(ctx, "k", mut)
}

func abroad(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "a", later(), nil)
	queue.Clear(mut, "token", "b")
	queue.Clear(mut, "token", "a") // want `delete-after-set: `
	return c.Open("sessions").Apply(ctx, "k", mut)
}

func okReplace(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	queue.Replace(mut, "token", "a", later(), nil)
	queue.Replace(mut, "token", "b", later(), nil)
	return c.Open("sessions").Apply(ctx, "k", mut)
}

type repo struct {
	c *bigtable.Client
	q *queue.Queue
}

func (r *repo) token(key string) {
	mut := bigtable.NewMutation()
	mut.Set("val", "a", bigtable.Now(), nil) // want `write-time: .*"val" of table "cache"`
	r.q.Put(queue.Write{Table: r.c.Open("cache"), Key: key, Mut: mut})
}

func (r *repo) okToken(key string) {
	mut := bigtable.NewMutation()
	mut.Set("val", "a", later(), nil)
	r.q.Put(queue.Write{Table: r.c.Open("cache"), Key: key, Mut: mut})
}

func (r *repo) number(key string, n int64) {
	mut := bigtable.NewMutation()
	mut.Set("val", "a", bigtable.Timestamp(n*1000), nil)
	r.q.Put(queue.Write{Table: r.c.Open("history"), Key: key, Mut: mut})
}

func (r *repo) clock(key string) {
	mut := bigtable.NewMutation()
	mut.Set("val", "a", bigtable.Now(), nil) // want `clock-in-sequence: .*"val" of table "history"`
	r.q.Put(queue.Write{Table: r.c.Open("history"), Key: key, Mut: mut})
}

// In one package.
type write struct {
	table *bigtable.Table
	key   string
	mut   *bigtable.Mutation
}

type behind struct{ ch chan write }

func newBehind(ctx context.Context) *behind {
	b := &behind{ch: make(chan write, 8)}
	go func() {
		for w := range b.ch {
			w.table.Apply(ctx, w.key, w.mut)
		}
	}()
	return b
}

func (b *behind) cached(c *bigtable.Client) {
	mut := bigtable.NewMutation()
	mut.Set("val", "a", bigtable.Now(), nil) // want `write-time: .*"val" of table "cache"`
	b.ch <- write{c.Open("cache"), "k", mut}
}

func (b *behind) okNumber(c *bigtable.Client, n int64) {
	mut := bigtable.NewMutation()
	mut.Set("val", "a", bigtable.Timestamp(n*1000), nil)
	b.ch <- write{c.Open("history"), "k", mut}
}
