// Package mapcounts counts in maps, captured structs and channels.
package mapcounts

import (
	"context"
	"maps"

	"cloud.google.com/go/bigtable"
)

func local(ctx context.Context, c *bigtable.Client, accounts []string) {
	tbl := c.Open("a-ledger")
	seen := map[string]int64{}
	for _, a := range accounts {
		seen[a]++
		m := bigtable.NewMutation()
		m.Set("entry", "e", bigtable.Timestamp(seen[a]), nil) // want "write to sequential-numbers family .entry.*counter, of which Bigtable cuts"
		m.Set("entry", "f", bigtable.Timestamp(seen[a]*1000), nil)
		tbl.Apply(ctx, a, m)
	}
}

func parameter(m *bigtable.Mutation, seen map[string]int, a string) {
	seen[a] = seen[a] + 1
	m.Set("entry", "e", bigtable.Timestamp(seen[a]), nil) // want "counter, of which Bigtable cuts"
}

func thousands(m *bigtable.Mutation, seen map[string]int, a string) {
	seen[a] += 1000
	m.Set("entry", "e", bigtable.Timestamp(seen[a]), nil)
}

// loaded is filled by somebody; nothing is counted.
func loaded(m *bigtable.Mutation, known map[string]int64, a string) {
	seen := maps.Clone(known)
	m.Set("entry", "e", bigtable.Timestamp(seen[a]), nil)
}

type env struct {
	tbl  *bigtable.Table
	seen map[string]int64
}

type dumped struct{ account string }

func (e *env) each(f func(d dumped) error) error { return f(dumped{"x"}) }

func (e *env) replay(ctx context.Context) error {
	return e.each(func(d dumped) error {
		e.seen[d.account]++
		m := bigtable.NewMutation()
		m.Set("entry", "e", bigtable.Timestamp(e.seen[d.account]), nil) // want "counter, of which Bigtable cuts"
		return e.tbl.Apply(ctx, d.account, m)
	})
}

type diffs struct{ n, scaled int }

func (d *diffs) add() { d.n++; d.scaled += 1000 }

func walk(f func(s string)) {
	for _, s := range []string{"a", "b"} {
		f(s)
	}
}

func captured(ctx context.Context, c *bigtable.Client) int {
	tbl := c.Open("b-ledger")
	var d diffs
	walk(func(s string) {
		d.add()
		m := bigtable.NewMutation()
		m.Set("entry", "e", bigtable.Timestamp(d.n), nil) // want "counter, of which Bigtable cuts"
		m.Set("entry", "f", bigtable.Timestamp(d.scaled), nil)
		tbl.Apply(ctx, s, m)
	})
	return d.n
}

func plain(ctx context.Context, c *bigtable.Client, keys []string) int {
	tbl := c.Open("b-ledger")
	d := &diffs{}
	for _, k := range keys {
		d.add()
		m := bigtable.NewMutation()
		m.Set("entry", "e", bigtable.Timestamp(d.n), nil) // want "counter, of which Bigtable cuts"
		m.Set("entry", "f", bigtable.Timestamp(d.scaled), nil)
		tbl.Apply(ctx, k, m)
	}
	return d.n
}

func numbered(ctx context.Context, tbl *bigtable.Table) {
	nums := make(chan int64)
	go func() {
		for n := int64(1); ; n++ {
			nums <- n
		}
	}()
	mut := bigtable.NewMutation()
	mut.Set("entry", "cmd", bigtable.Timestamp(<-nums), nil) // want "counter, of which Bigtable cuts"
	_ = tbl.Apply(ctx, "k", mut)
}

func numberedScaled(ctx context.Context, tbl *bigtable.Table) {
	nums := make(chan int64)
	go func() {
		for n := int64(1); ; n++ {
			nums <- n * 1000
		}
	}()
	mut := bigtable.NewMutation()
	mut.Set("entry", "cmd", bigtable.Timestamp(<-nums), nil)
	_ = tbl.Apply(ctx, "k", mut)
}

// lengths sends what nobody counts.
func lengths(ctx context.Context, tbl *bigtable.Table, sizes <-chan int64) {
	mut := bigtable.NewMutation()
	mut.Set("entry", "cmd", bigtable.Timestamp(<-sizes), nil)
	_ = tbl.Apply(ctx, "k", mut)
}

func truncated(m *bigtable.Mutation) {
	m.Set("token", "a", bigtable.ServerTime.TruncateToMilliseconds(), nil) // want "server timestamp"
	m.Set("entry", "c", bigtable.Timestamp(5000).TruncateToMilliseconds(), nil)
}
