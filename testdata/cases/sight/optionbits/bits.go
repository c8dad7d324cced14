// Package optionbits chooses by the bits of a number that callers give.
package optionbits

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// Bits are options.
type Bits uint32

// Has reports whether all of some options are given.
func (b Bits) Has(m Bits) bool { return b&m == m }

// The options.
const (
	Raw Bits = 1 << iota
	Meta
	Wide
)

// Query reads sessions.
type Query struct{ tbl *bigtable.Table }

// New opens the table.
func New(c *bigtable.Client) *Query { return &Query{tbl: c.Open("sessions")} }

func live() bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
}

// Read reads what the bits say.
func (q *Query) Read(ctx context.Context, k string, bits Bits) bigtable.Row {
	var f bigtable.Filter
	switch {
	case bits.Has(Meta):
		f = bigtable.FamilyFilter("profile")
	case bits.Has(Raw):
		f = bigtable.FamilyFilter("token")
	default:
		f = live()
	}
	row, _ := q.tbl.ReadRow(ctx, k, bigtable.RowFilter(f))
	return row
}

// First asks for what lives.
func (q *Query) First(ctx context.Context) bigtable.Row { return q.Read(ctx, "k", 0) }

// FirstWide asks for what lives, too.
func (q *Query) FirstWide(ctx context.Context) bigtable.Row { return q.Read(ctx, "k", Wide) }

// FirstMeta asks for another family.
func (q *Query) FirstMeta(ctx context.Context) bigtable.Row { return q.Read(ctx, "k", Meta|Raw) }

// FirstRaw is the one caller that asks for all.
func (q *Query) FirstRaw(ctx context.Context) bigtable.Row { return q.Read(ctx, "k", Raw) } // want `missing-filter: .*"token" of table "sessions"`

// FirstOf takes a bit away.
func (q *Query) FirstOf(ctx context.Context) bigtable.Row { return q.Read(ctx, "k", (Raw|Wide)&^Raw) }

// FirstNot turns it on.
func (q *Query) FirstNot(ctx context.Context) bigtable.Row { return q.Read(ctx, "k", Wide^Raw) } // want `missing-filter: .*"token" of table "sessions"`

// Write sets the time that the bits say.
func (q *Query) Write(ctx context.Context, k string, bits Bits) error {
	ts := bigtable.Time(time.Now().Add(time.Hour))
	if bits&Raw != 0 {
		ts = bigtable.Now()
	}
	m := bigtable.NewMutation()
	m.Set("token", "v", ts, nil)
	return q.tbl.Apply(ctx, k, m)
}

// Of looks up the bits: both happen.
func (q *Query) Of(ctx context.Context, k string, bits map[string]Bits) error {
	ts := bigtable.Time(time.Now().Add(time.Hour))
	if bits[k]&Raw != 0 {
		ts = bigtable.Now()
	}
	m := bigtable.NewMutation()
	m.Set("token", "v", ts, nil) // want `write-time: .*"token"`
	return q.tbl.Apply(ctx, k, m)
}
