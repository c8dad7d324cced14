// Package foundobjects reads with filters in objects that its functions are given: what
// was put there elsewhere is wrong at the read, and at the call what the call makes.
package foundobjects

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type shard struct {
	prefix  string
	columns bigtable.Filter
}

// Engine reads each of its shards in a goroutine.
type Engine struct {
	tbl    *bigtable.Table
	shards []*shard
}

// NewEngine makes an engine of n shards.
func NewEngine(c *bigtable.Client, n int) *Engine {
	e := &Engine{tbl: c.Open("sessions")}
	for i := range n {
		e.shards = append(e.shards, &shard{prefix: string(rune('a' + i)), columns: bigtable.ColumnFilter("active")})
	}
	return e
}

// Start starts.
func (e *Engine) Start(ctx context.Context) {
	for _, sh := range e.shards {
		go func() { e.run(ctx, sh) }()
	}
}

func (e *Engine) run(ctx context.Context, sh *shard) {
	for ctx.Err() == nil {
		e.poll(ctx, sh)
	}
}

func (e *Engine) poll(ctx context.Context, sh *shard) {
	_ = e.tbl.ReadRows(ctx, bigtable.PrefixRange(sh.prefix), func(row bigtable.Row) bool { // want `missing-filter: .*"token"`
		return len(row["token"]) > 0
	}, bigtable.RowFilter(sh.columns))
}

// OkEngine has shards whose filter is right.
type OkEngine struct {
	tbl    *bigtable.Table
	shards []*okShard
}

type okShard struct {
	prefix  string
	columns func() bigtable.Filter
}

// NewOkEngine makes an engine of n shards.
func NewOkEngine(c *bigtable.Client, n int) *OkEngine {
	e := &OkEngine{tbl: c.Open("sessions")}
	for i := range n {
		e.shards = append(e.shards, &okShard{string(rune('a' + i)), func() bigtable.Filter {
			return bigtable.TimestampRangeFilter(time.Now(), time.Time{})
		}})
	}
	return e
}

// Start starts.
func (e *OkEngine) Start(ctx context.Context) {
	for _, sh := range e.shards {
		go func() { e.poll(ctx, sh) }()
	}
}

func (e *OkEngine) poll(ctx context.Context, sh *okShard) {
	_ = e.tbl.ReadRows(ctx, bigtable.PrefixRange(sh.prefix), func(row bigtable.Row) bool {
		return len(row["token"]) > 0
	}, bigtable.RowFilter(sh.columns()))
}

// What the call makes is the call's, however few calls there are.
type query struct {
	tbl    *bigtable.Table
	filter bigtable.Filter
}

func scan(ctx context.Context, q query) (n int) {
	_ = q.tbl.ReadRows(ctx, bigtable.PrefixRange("k"), func(row bigtable.Row) bool {
		n += len(row["token"])
		return true
	}, bigtable.RowFilter(q.filter))
	return n
}

func made(ctx context.Context, c *bigtable.Client) int {
	return scan(ctx, query{c.Open("sessions"), bigtable.ColumnFilter("active")}) // want `missing-filter: .*"token"`
}

func listed(ctx context.Context, c *bigtable.Client) (n int) {
	for _, q := range []query{
		{c.Open("sessions"), bigtable.TimestampRangeFilter(time.Now(), time.Time{})},
		{c.Open("sessions"), bigtable.ColumnFilter("left")},
	} {
		n += scan(ctx, q) // want `missing-filter: .*"token"`
	}
	return n
}
