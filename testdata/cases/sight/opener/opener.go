// Package opener opens tables by way of an interface that *bigtable.Client
// satisfies, and by a method of what provides them.
package opener

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/opener/bt"
)

type opener interface {
	Open(table string) *bigtable.Table
}

func number(ctx context.Context, o opener) error {
	m := bigtable.NewMutation()
	m.Set("val", "v", bigtable.Now(), nil) // want `clock-in-sequence`
	return o.Open("history").Apply(ctx, "k", m)
}

func stage(ctx context.Context, o opener) error {
	m := bigtable.NewMutation()
	m.Set("latest", "v", bigtable.Now(), nil)
	return o.Open("scratch").Apply(ctx, "k", m)
}

func look(ctx context.Context, o bt.Opener) (bigtable.Row, error) {
	return o.Open("otp").ReadRow(ctx, "k") // want `missing-filter`
}

func lookScratch(ctx context.Context, o bt.Opener) (bigtable.Row, error) {
	return o.Open("scratch").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter("code")))
}

type imports struct{ o bt.Opener }

func (i *imports) stage(ctx context.Context) error {
	m := bigtable.NewMutation()
	m.Set("latest", "v", bigtable.Now(), nil)
	return i.o.Open(string(bt.Scratch)).Apply(ctx, "k", m)
}

func (i *imports) number(ctx context.Context) error {
	m := bigtable.NewMutation()
	m.Set("val", "v", bigtable.Now(), nil) // want `clock-in-sequence`
	return bt.Open(i.o, bt.History).Apply(ctx, "k", m)
}

// tables opens tables with the middleware of the process.
type tables struct {
	client *bigtable.Client
	mw     []bt.Middleware
}

func provide(c *bigtable.Client) *tables {
	return &tables{client: c, mw: []bt.Middleware{bt.Logged()}}
}

func (t *tables) open(id bt.Name) bt.Table { return bt.Open(t.client, id, t.mw...) }

func (t *tables) wrapped(id string) bt.Table {
	var tbl bt.Table = t.client.Open(id)
	for _, mw := range t.mw {
		tbl = mw(tbl)
	}
	return tbl
}

func numbered(ctx context.Context, t *tables) error {
	m := bigtable.NewMutation()
	m.Set("val", "v", bigtable.Now(), nil) // want `clock-in-sequence`
	return t.open(bt.History).Apply(ctx, "k", m)
}

func scratched(ctx context.Context, t *tables) error {
	m := bigtable.NewMutation()
	m.Set("latest", "v", bigtable.Now(), nil)
	return t.open(bt.Scratch).Apply(ctx, "k", m)
}

func wrappedNumber(ctx context.Context, t *tables) error {
	m := bigtable.NewMutation()
	m.Set("val", "v", bigtable.Now(), nil) // want `clock-in-sequence`
	return t.wrapped("history").Apply(ctx, "k", m)
}

func wrappedScratch(ctx context.Context, c *bigtable.Client) error {
	m := bigtable.NewMutation()
	m.Set("latest", "v", bigtable.Now(), nil)
	return provide(c).wrapped("scratch").Apply(ctx, "k", m)
}

// A middleware of which nothing is known gives back what it is given.
func given(ctx context.Context, c *bigtable.Client, mw bt.Middleware) error {
	m := bigtable.NewMutation()
	m.Set("val", "v", bigtable.Now(), nil) // want `clock-in-sequence`
	return mw(c.Open("history")).Apply(ctx, "k", m)
}

func givenScratch(ctx context.Context, c *bigtable.Client, mws ...bt.Middleware) error {
	var t bt.Table = c.Open("scratch")
	for _, mw := range mws {
		t = mw(t)
	}
	m := bigtable.NewMutation()
	m.Set("latest", "v", bigtable.Now(), nil)
	return t.Apply(ctx, "k", m)
}

type counted struct{ bt.Table }

func (c *counted) Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error {
	return c.Table.Apply(ctx, row, m, opts...)
}

type local struct {
	client *bigtable.Client
	mw     []bt.Middleware
}

func newLocal(c *bigtable.Client) *local {
	return &local{client: c, mw: []bt.Middleware{func(t bt.Table) bt.Table { return &counted{t} }}}
}

func (l *local) open(id string) bt.Table {
	var tbl bt.Table = l.client.Open(id)
	for _, mw := range l.mw {
		tbl = mw(tbl)
	}
	return tbl
}

func localScratch(ctx context.Context, c *bigtable.Client) error {
	m := bigtable.NewMutation()
	m.Set("latest", "v", bigtable.Now(), nil)
	return newLocal(c).open("scratch").Apply(ctx, "k", m)
}

func localNumber(ctx context.Context, l *local) error {
	m := bigtable.NewMutation()
	m.Set("val", "v", bigtable.Now(), nil) // want `clock-in-sequence`
	return l.open("history").Apply(ctx, "k", m)
}
