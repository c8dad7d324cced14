// Package unregistered uses tables that are known, and not registered, by ways on
// which their names are lost easily: families of registered names are theirs.
package unregistered

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/unregistered/store"
)

type kind int

const (
	draft kind = iota
	note
)

var names = map[kind]string{draft: "drafts", note: "notes"}

var byName = map[string]string{"d": "drafts", "n": "notes"}

type pool struct {
	c    *bigtable.Client
	open map[string]*bigtable.Table
}

func newPool(c *bigtable.Client) *pool {
	return &pool{c: c, open: map[string]*bigtable.Table{"drafts": c.Open("drafts"), "notes": c.Open("notes")}}
}

func (p *pool) okLookedUp(ctx context.Context, name string) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "v", bigtable.Now(), nil)
	return p.open[name].Apply(ctx, "k", mut)
}

func (p *pool) okNamed(ctx context.Context, k kind) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "v", bigtable.Now(), nil)
	return p.c.Open(names[k]).Apply(ctx, "k", mut)
}

func (p *pool) okByName(ctx context.Context, name string) (bigtable.Row, error) {
	return p.c.Open(byName[name]).ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter("token")))
}

func (p *pool) okChecked(ctx context.Context, name string) error {
	table, ok := byName[name]
	if !ok {
		table = "notes"
	}
	mut := bigtable.NewMutation()
	mut.Set("token", "v", bigtable.Now(), nil)
	return p.c.Open(table).Apply(ctx, "k", mut)
}

func okStore(ctx context.Context, c *bigtable.Client) error {
	return store.Open(c, true).Put(ctx, "k")
}

func okGiven(ctx context.Context, c *bigtable.Client) error {
	return put(ctx, c.Open("drafts"))
}

func okGivenToo(ctx context.Context, c *bigtable.Client) error {
	return put(ctx, c.Open("notes"))
}

func put(ctx context.Context, tbl *bigtable.Table) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "v", bigtable.Now(), nil)
	return tbl.Apply(ctx, "k", mut)
}

// Where nobody says which table it is, the name says it, and the message that.
func Anywhere(ctx context.Context, tbl *bigtable.Table) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "v", bigtable.Now(), nil) // want `write-time: .*"token" \(table not known\)`
	return tbl.Apply(ctx, "k", mut)
}

var some = map[string]string{"d": "drafts", "s": "sessions"}

var both = map[string]string{"c": "cache", "h": "history"}

// Where one of them is registered, its family is meant; where two are that do not
// agree, nothing is known.
func oneOf(ctx context.Context, c *bigtable.Client, name string) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "v", bigtable.Now(), nil) // want `write-time: .*"token" \(table not known\)`
	return c.Open(some[name]).Apply(ctx, "k", mut)
}

func okOneOfTwo(ctx context.Context, c *bigtable.Client, name string) error {
	mut := bigtable.NewMutation()
	mut.Set("val", "v", bigtable.Time(time.Now().Add(time.Minute)), nil)
	return c.Open(both[name]).Apply(ctx, "k", mut)
}
