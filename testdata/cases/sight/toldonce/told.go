// Package toldonce has faults that are whole in its methods: the registry names the
// field of their table, or a family has a default. Nobody who makes the objects is told
// of them again.
package toldonce

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// Trail writes to a table that the registry knows by this field; its family is one of
// two tables.
type Trail struct{ tbl *bigtable.Table }

func New(tbl *bigtable.Table) *Trail { return &Trail{tbl: tbl} }

func Wrapped(tbl *bigtable.Table) *Trail { return New(tbl) }

func (t *Trail) Seal(ctx context.Context, subject string) error {
	mut := bigtable.NewMutation()
	mut.Set("page", "seal", bigtable.ServerTime, nil) // want `clock-in-sequence: .*"\*-diary"`
	mut.Set("page", "first", 1, nil)                  // want `unscaled-sequence: .*"\*-diary"`
	return t.tbl.Apply(ctx, subject, mut)
}

func (t *Trail) Count(ctx context.Context, subject string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment("page", "count", 1) // want `read-modify-write: .*"\*-diary"`
	_, err := t.tbl.ApplyReadModifyWrite(ctx, subject, rmw)
	return err
}

func (t *Trail) Reopen(ctx context.Context, subject string) error {
	set := bigtable.NewMutation()
	set.Set("page", "seal", 2000, nil)
	return t.tbl.Apply(ctx, subject, bigtable.NewCondMutation(bigtable.ValueFilter("sealed"), set, nil)) // want `conditional-mutation: .*"\*-diary"`
}

func (t *Trail) All(ctx context.Context, subject string) (int, error) {
	row, err := t.tbl.ReadRow(ctx, subject) // want `missing-filter: .*"\*-diary"`
	return len(row["page"]), err
}

// Unnamed does the same with a table of which only its users know which it is.
type Unnamed struct{ tbl *bigtable.Table }

func NewUnnamed(tbl *bigtable.Table) *Unnamed { return &Unnamed{tbl: tbl} }

func (u *Unnamed) Seal(ctx context.Context, subject string) error {
	mut := bigtable.NewMutation()
	mut.Set("page", "seal", bigtable.ServerTime, nil)
	return u.tbl.Apply(ctx, subject, mut)
}

// Policy has a family with a default.
type Policy struct {
	TTL    time.Duration
	Family string
}

type Cache struct {
	tbl *bigtable.Table
	pol Policy
}

func NewCache(tbl *bigtable.Table, p Policy) *Cache {
	if p.Family == "" {
		p.Family = "log"
	}
	return &Cache{tbl, p}
}

func (c *Cache) Keep(ctx context.Context, v []byte) error {
	m := bigtable.NewMutation()
	m.Set(c.pol.Family, "html", 0, v) // want `already-expired: .*"log"`
	return c.tbl.Apply(ctx, "k", m)
}

func (c *Cache) KeepAt(ctx context.Context, ts bigtable.Timestamp) error {
	m := bigtable.NewMutation()
	m.Set(c.pol.Family, "html", ts, nil)
	return c.tbl.Apply(ctx, "k", m)
}

func Handler(client *bigtable.Client, p Policy) func() *Cache {
	return func() *Cache { return NewCache(client.Open("mixed"), p) }
}

func Direct(client *bigtable.Client, p Policy) *Cache { return NewCache(client.Open("mixed"), p) }

// Plain has its family as a parameter, with a default.
type Plain struct {
	tbl *bigtable.Table
	fam string
}

func NewPlain(c *bigtable.Client, fam string) *Plain {
	if fam == "" {
		fam = "log"
	}
	return &Plain{c.Open("mixed"), fam}
}

func (p *Plain) Keep(ctx context.Context) error {
	m := bigtable.NewMutation()
	m.Set(p.fam, "c", 0, nil) // want `already-expired: .*"log"`
	return p.tbl.Apply(ctx, "k", m)
}
