// Package groupedwrites groups pending writes in a map by their table: each is applied
// to the table under which it is in the map.
package groupedwrites

import (
	"context"

	"cloud.google.com/go/bigtable"
)

type pending struct {
	table, key string
	mut        *bigtable.Mutation
}

type batch struct {
	c   *bigtable.Client
	buf []pending
}

func (b *batch) flush(ctx context.Context) {
	byTable := map[string][]pending{}
	for _, p := range b.buf {
		byTable[p.table] = append(byTable[p.table], p)
	}
	for table, ps := range byTable {
		for _, p := range ps {
			_ = b.c.Open(table).Apply(ctx, p.key, p.mut)
		}
	}
}

func (b *batch) own(key string) {
	mut := bigtable.NewMutation()
	mut.Set("page", "why", bigtable.Now(), nil) // want `clock-in-sequence: .*"page" of table "\*-diary"`
	b.buf = append(b.buf, pending{"my-diary", key, mut})
}

func (b *batch) okAll(key string) {
	mut := bigtable.NewMutation()
	mut.Set("page", "why", bigtable.Now(), nil)
	b.buf = append(b.buf, pending{"diaries", key, mut})
}

// What is appended under one key is what was under another: each may be applied to the
// table of the other.
type change struct {
	table, was string
	mut        *bigtable.Mutation
}

type moved struct {
	c   *bigtable.Client
	buf []change
}

func (b *moved) flush(ctx context.Context) {
	byTable := map[string][]change{}
	for _, p := range b.buf {
		byTable[p.table] = append(byTable[p.was], p)
	}
	for table, ps := range byTable {
		for _, p := range ps {
			_ = b.c.Open(table).Apply(ctx, "k", p.mut)
		}
	}
}

func (b *moved) own() {
	mut := bigtable.NewMutation()
	mut.Set("page", "why", bigtable.Now(), nil) // want `clock-in-sequence: .*"page" of table "\*-diary"`
	b.buf = append(b.buf, change{"my-diary", "diaries", mut})
}

func (b *moved) all() {
	mut := bigtable.NewMutation()
	mut.Set("page", "why", bigtable.Now(), nil) // want `clock-in-sequence: .*"page" of table "\*-diary"`
	b.buf = append(b.buf, change{"diaries", "my-diary", mut})
}
