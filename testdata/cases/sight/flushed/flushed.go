// Package flushed collects rows in a list that a literal writes and empties.
package flushed

import (
	"context"

	"cloud.google.com/go/bigtable"
)

type row struct {
	table, key string
	mut        *bigtable.Mutation
}

type batcher struct {
	c  *bigtable.Client
	ch chan row
}

func (b *batcher) loop(ctx context.Context) {
	var rows []row
	flush := func() {
		for _, r := range rows {
			_ = b.c.Open(r.table).Apply(ctx, r.key, r.mut)
		}
		rows = nil
	}
	for r := range b.ch {
		if rows = append(rows, r); len(rows) > 100 {
			flush()
		}
	}
	flush()
}

func (b *batcher) page(key string) {
	m := bigtable.NewMutation()
	m.Set("page", "v", bigtable.Now(), nil) // want `clock-in-sequence: .*"page" of table "\*-diary"`
	b.ch <- row{"my-diary", key, m}
}

func (b *batcher) okPage(key string) {
	m := bigtable.NewMutation()
	m.Set("page", "v", bigtable.Now(), nil)
	b.ch <- row{"diaries", key, m}
}

func start(ctx context.Context, c *bigtable.Client) *batcher {
	b := &batcher{c, make(chan row)}
	go b.loop(ctx)
	return b
}

// The list keeps its array.
func shortened(ctx context.Context, c *bigtable.Client, ks <-chan string) {
	rows := make([]row, 0, 100)
	flush := func() {
		for _, r := range rows {
			_ = c.Open(r.table).Apply(ctx, r.key, r.mut)
		}
		rows = rows[:0]
	}
	for k := range ks {
		m := bigtable.NewMutation()
		m.Set("page", "v", bigtable.Now(), nil) // want `clock-in-sequence: .*"page" of table "\*-diary"`
		if rows = append(rows, row{"my-diary", k, m}); len(rows) > 100 {
			flush()
		}
	}
	flush()
}

type line struct {
	table, key string
	mut        *bigtable.Mutation
}

// Nothing tells which of two lists it is that a literal finds.
func okReplaced(ctx context.Context, c *bigtable.Client, key string) {
	m := bigtable.NewMutation()
	m.Set("page", "v", bigtable.Now(), nil)
	rows := []line{{"my-diary", key, m}}
	flush := func() {
		for _, r := range rows {
			_ = c.Open(r.table).Apply(ctx, r.key, r.mut)
		}
		rows = nil
	}
	rows = []line{{"diaries", key, m}}
	flush()
}

// How long it is neither.
func length(ctx context.Context, tbl *bigtable.Table, key string) {
	keys := []string{key}
	write := func() {
		if len(keys) == 0 {
			m := bigtable.NewMutation()
			m.Set("token", "v", bigtable.ServerTime, nil) // want `server-timestamp`
			_ = tbl.Apply(ctx, key, m)
		}
		keys = nil
	}
	write()
	write()
}
