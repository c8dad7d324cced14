// Package use is package ofcalls with the helpers in another package.
package use

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/ofcalls/lib"
)

func each(ctx context.Context, c *bigtable.Client) (n int) {
	tbl := c.Open("sessions")
	_ = lib.Each(ctx, tbl, "token", func(it bigtable.ReadItem) {
		if it.Timestamp.Time().After(time.Now()) {
			n++
		}
	})
	_ = lib.Each(ctx, tbl, "token", func(it bigtable.ReadItem) { n += len(it.Value) }) // want `missing-filter: .*"token"`
	_ = lib.Each(ctx, tbl, "profile", func(it bigtable.ReadItem) { n += len(it.Value) })
	return n
}

type clock struct{ now func() time.Time }

func (c clock) Alive(it bigtable.ReadItem) bool { return it.Timestamp.Time().After(c.now()) }

type nonEmpty struct{}

func (nonEmpty) Alive(it bigtable.ReadItem) bool { return len(it.Value) > 0 }

func okChecker(ctx context.Context, c *bigtable.Client) int {
	row, _ := c.Open("sessions").ReadRow(ctx, "k")
	return lib.Count(row, "token", clock{time.Now})
}

func noChecker(ctx context.Context, c *bigtable.Client) int {
	row, _ := c.Open("sessions").ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	return lib.Count(row, "token", nonEmpty{})
}

type profiles struct{}

func (profiles) Decode(r bigtable.Row) int { return len(r["profile"]) }

type tokens struct{}

func (*tokens) Decode(r bigtable.Row) int { return len(r["token"]) }

type liveTokens struct{ now bigtable.Timestamp }

func (l liveTokens) Decode(r bigtable.Row) (n int) {
	for _, it := range r["token"] {
		if it.Timestamp > l.now {
			n++
		}
	}
	return n
}

func decoders(ctx context.Context, c *bigtable.Client) {
	tbl := c.Open("sessions")
	_, _ = lib.Fetch(ctx, tbl, profiles{})
	_, _ = lib.Fetch(ctx, tbl, &tokens{}) // want `missing-filter: .*"token"`
	_, _ = lib.Fetch(ctx, tbl, liveTokens{bigtable.Now()})
}

func okFilter(ctx context.Context, c *bigtable.Client) int {
	row, _ := c.Open("sessions").ReadRow(ctx, "k")
	now := bigtable.Now()
	return len(lib.Filter(row["token"], func(it bigtable.ReadItem) bool { return it.Timestamp > now }))
}

func filter(ctx context.Context, c *bigtable.Client) int {
	row, _ := c.Open("sessions").ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	return len(lib.Filter(row["token"], func(it bigtable.ReadItem) bool { return len(it.Value) > 0 }))
}

var _ = []any{each, okChecker, noChecker, decoders, okFilter, filter}
