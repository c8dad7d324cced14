// Package clocks is given its clock and its layout by who starts it: what is
// wrong with what it makes of them is wrong here.
package clocks

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/clocks/clock"
	"example.com/cases/sight/clocks/layout"
)

// Store is given everything.
type Store struct {
	tbl   *bigtable.Table
	lay   layout.Sessions
	mixed layout.Mixed
	fam   layout.Family
	clk   clock.Clock
}

// New makes a Store.
func New(c *bigtable.Client, lay layout.Sessions, mixed layout.Mixed, fam layout.Family, clk clock.Clock) *Store {
	return &Store{tbl: c.Open("sessions"), lay: lay, mixed: mixed, fam: fam, clk: clk}
}

// Touch takes the time of writing for that of expiry.
func (s *Store) Touch(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set(s.lay.Families.Token, "seen", bigtable.Time(s.clk.Now()), nil)   // which family that is, callers say
	m.Set(s.lay.Families.Profile, "seen", bigtable.Time(s.clk.Now()), nil) // an ordinary family
	m.Set(s.lay.Column, "seen", bigtable.Time(s.clk.Now()), nil)           // any family
	m.Set(s.fam.Name, "seen", bigtable.Time(s.clk.Now()), nil)             // any family
	return s.tbl.Apply(ctx, key, m)
}

// Mixed holds its layout.
type Mixed struct{ lay layout.Mixed }

// NewMixed is given it.
func NewMixed(lay layout.Mixed) *Mixed { return &Mixed{lay} }

// Put writes what it says.
func (x *Mixed) Put(ctx context.Context, c *bigtable.Client) error {
	m := bigtable.NewMutation()
	m.Set(x.lay.Hot, "a", bigtable.ServerTime, nil) // not seen: server-timestamp
	m.Set(x.lay.Log, "b", bigtable.ServerTime, nil) // a default-expiration family
	m.Set(x.lay.Seq, "c", bigtable.ServerTime, nil) // any family
	return c.Open("mixed").Apply(ctx, "k", m)
}

// Write is given one of many columns, of which package layout has one: its
// callers say which.
func Write(ctx context.Context, c *bigtable.Client, col layout.Column) error {
	m := bigtable.NewMutation()
	m.Set(col.Family, col.Name, bigtable.ServerTime, nil)
	return c.Open("sessions").Apply(ctx, "k", m)
}

// What is put there here is known by that.
func other(ctx context.Context, c *bigtable.Client) error {
	lay := layout.Mixed{Hot: "log", Log: "hot"}
	m := bigtable.NewMutation()
	m.Set(lay.Hot, "a", bigtable.ServerTime, nil)
	m.Set(lay.Log, "b", bigtable.ServerTime, nil) // want `server-timestamp: .*"hot" of table "mixed"`
	return c.Open("mixed").Apply(ctx, "k", m)
}
