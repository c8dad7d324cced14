// Package batchabroad has batches of another package in its structs, which get their tables by
// calls of a method.
package batchabroad

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/batchabroad/nv"
)

// Beats writes to a table in which val is declared.
type Beats struct{ batch nv.Batch }

// Init opens the table.
func (b *Beats) Init(c *bigtable.Client) { b.batch.Init(c.Open("cache")) }

// Push writes.
func (b *Beats) Push(ctx context.Context) error {
	mut := bigtable.NewMutation()
	mut.Set("val", "beat", bigtable.ServerTime, nil) // want `server-timestamp: .*"val".*"cache"`
	return b.batch.Push(ctx, "k", mut)
}

// PushNow writes.
func (b *Beats) PushNow(ctx context.Context) error {
	mut := bigtable.NewMutation()
	mut.Set("val", "beat", bigtable.Now(), nil) // want `write-time: .*"val".*"cache"`
	return b.batch.Push(ctx, "k", mut)
}

// OkPush writes what expires.
func (b *Beats) OkPush(ctx context.Context) error {
	defer b.batch.Reset()
	mut := bigtable.NewMutation()
	mut.Set("val", "beat", bigtable.Time(time.Now().Add(10*time.Minute)), nil)
	return b.batch.Push(ctx, "k", mut)
}

// Others writes to a table that is not declared: what Beats has is another batch.
type Others struct{ batch nv.Batch }

// Init opens the table.
func (o *Others) Init(c *bigtable.Client) { o.batch.Init(c.Open("elsewhere")) }

// OkPush writes.
func (o *Others) OkPush(ctx context.Context) error {
	mut := bigtable.NewMutation()
	mut.Set("val", "beat", bigtable.ServerTime, nil)
	return o.batch.Push(ctx, "k", mut)
}

// Given has a batch of which it is not known which table it has.
type Given struct{ batch nv.Batch }

// NewGiven makes one.
func NewGiven(c *bigtable.Client, b nv.Batch) *Given {
	g := &Given{batch: b}
	g.batch.Reset()
	return g
}

// Init opens the table.
func (g *Given) Init(c *bigtable.Client, on bool) { g.batch.Open(c, on) }

// OkPush writes.
func (g *Given) OkPush(ctx context.Context) error {
	mut := bigtable.NewMutation()
	mut.Set("val", "beat", bigtable.ServerTime, nil)
	return g.batch.Push(ctx, "k", mut)
}

// Helped has a batch that a helper opens.
type Helped struct{ batch nv.Batch }

// NewHelped opens the table.
func NewHelped(c *bigtable.Client) *Helped {
	h := new(Helped)
	open(&h.batch, c)
	return h
}

func open(b *nv.Batch, c *bigtable.Client) { b.Init(c.Open("cache")) }

// Push writes.
func (h *Helped) Push(ctx context.Context) error {
	mut := bigtable.NewMutation()
	mut.Set("val", "beat", bigtable.ServerTime, nil) // want `server-timestamp: .*"val".*"cache"`
	return h.batch.Push(ctx, "k", mut)
}

// Embedded has the batch's methods.
type Embedded struct {
	nv.Batch
	key string
}

// NewEmbedded opens the table.
func NewEmbedded(c *bigtable.Client, key string) *Embedded {
	e := &Embedded{key: key}
	e.Init(c.Open("cache"))
	return e
}

// Beat writes.
func (e *Embedded) Beat(ctx context.Context) error {
	mut := bigtable.NewMutation()
	mut.Set("val", "beat", bigtable.ServerTime, nil) // want `server-timestamp: .*"val".*"cache"`
	return e.Push(ctx, e.key, mut)
}

// Lent keeps the address of its batch, by way of which another may open it.
type Lent struct {
	batch nv.Batch
	same  *nv.Batch
}

// Init opens the table.
func (l *Lent) Init(c *bigtable.Client) {
	l.batch.Init(c.Open("cache"))
	l.same = &l.batch
}

// Reopen opens another.
func (l *Lent) Reopen(c *bigtable.Client) { l.same.Init(c.Open("elsewhere")) }

// OkPush writes.
func (l *Lent) OkPush(ctx context.Context) error {
	mut := bigtable.NewMutation()
	mut.Set("val", "beat", bigtable.ServerTime, nil)
	return l.batch.Push(ctx, "k", mut)
}
