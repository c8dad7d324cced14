// Package dao has objects whose builders open their tables.
package dao

import (
	"context"
	"errors"

	"cloud.google.com/go/bigtable"
)

type Dao struct {
	sessions *bigtable.Table
	given    *bigtable.Table
	metrics  *bigtable.Table
}

// Builder builds one in place.
type Builder struct{ d Dao }

func NewBuilder() *Builder { return &Builder{} }

func (b *Builder) WithTables(c *bigtable.Client) *Builder {
	b.d.sessions = c.Open("sessions")
	b.d.metrics = c.Open("metrics")
	return b
}

func (b *Builder) WithTable(t *bigtable.Table) *Builder {
	b.d.given = t
	return b
}

func (b *Builder) Build() *Dao { d := b.d; return &d }

func (d *Dao) Dump(ctx context.Context, key string) (bigtable.Row, error) {
	return d.sessions.ReadRow(ctx, key) // want `missing-filter: .*"token"`
}

func (d *Dao) OKMetrics(ctx context.Context, key string) (bigtable.Row, error) {
	return d.metrics.ReadRow(ctx, key)
}

func (d *Dao) OKGiven(ctx context.Context, key string) (bigtable.Row, error) {
	return d.given.ReadRow(ctx, key)
}

// Literal is made by a literal in its builder.
type Literal struct{ sessions *bigtable.Table }

type LiteralBuilder struct{ t *bigtable.Table }

func (b *LiteralBuilder) WithTables(c *bigtable.Client) *LiteralBuilder {
	b.t = c.Open("sessions")
	return b
}

func (b *LiteralBuilder) Build() *Literal { return &Literal{sessions: b.t} }

func (d *Literal) Dump(ctx context.Context, key string) (bigtable.Row, error) {
	return d.sessions.ReadRow(ctx, key) // want `missing-filter: .*"token"`
}

// Called is built by a constructor, too.
type Called struct{ sessions *bigtable.Table }

type CalledBuilder struct{ d Called }

func (b *CalledBuilder) WithTables(c *bigtable.Client) *CalledBuilder {
	b.d.sessions = c.Open("sessions")
	return b
}

func (b *CalledBuilder) Build() *Called { d := b.d; return &d }

func NewCalled(c *bigtable.Client) *Called { return (&CalledBuilder{}).WithTables(c).Build() }

func (d *Called) Dump(ctx context.Context, key string) (bigtable.Row, error) {
	return d.sessions.ReadRow(ctx, key) // want `missing-filter: .*"token"`
}

// Pointed is filled through a pointer.
type Pointed struct{ cache *bigtable.Table }

type PointedBuilder struct {
	p   *Pointed
	err error
}

func NewPointed() *PointedBuilder { return &PointedBuilder{p: &Pointed{}} }

func (b *PointedBuilder) Client(c *bigtable.Client) *PointedBuilder {
	if c == nil {
		b.err = errors.New("no client")
		return b
	}
	b.p.cache = c.Open("cache")
	return b
}

func (b *PointedBuilder) Build() (*Pointed, error) { return b.p, b.err }

func (p *Pointed) Put(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set("val", "n", bigtable.Now(), nil) // want `write-time: .*"val" of table "cache"`
	return p.cache.Apply(ctx, key, m)
}

// Self is its own builder.
type Self struct{ history *bigtable.Table }

func (s *Self) WithClient(c *bigtable.Client) *Self {
	s.history = c.Open("history")
	return s
}

func (s *Self) Put(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set("val", "n", bigtable.Now(), nil) // want `clock-in-sequence: .*"val" of table "history"`
	return s.history.Apply(ctx, key, m)
}

// Copied is its own builder, by value.
type Copied struct{ history *bigtable.Table }

func (s Copied) WithClient(c *bigtable.Client) Copied {
	s.history = c.Open("history")
	return s
}

func (s Copied) Put(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set("val", "n", bigtable.Now(), nil) // want `clock-in-sequence: .*"val" of table "history"`
	return s.history.Apply(ctx, key, m)
}

// Named is given the name of its table by its builder.
type Named struct {
	tbl    *bigtable.Table
	client *bigtable.Client
	name   string
}

func (n *Named) Client(c *bigtable.Client) *Named { n.client = c; return n }
func (n *Named) Name(name string) *Named          { n.name = name; return n }
func (n *Named) Open() *Named                     { n.tbl = n.client.Open(n.name); return n }

func (n *Named) OKPut(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set("val", "n", bigtable.Now(), nil)
	return n.tbl.Apply(ctx, key, m)
}

// Two are opened by one method or by another, as whoever builds it chooses.
type Two struct{ tbl *bigtable.Table }

func (t *Two) Metrics(c *bigtable.Client) *Two  { t.tbl = c.Open("metrics"); return t }
func (t *Two) Sessions(c *bigtable.Client) *Two { t.tbl = c.Open("sessions"); return t }

func (t *Two) OKDump(ctx context.Context, key string) (bigtable.Row, error) {
	return t.tbl.ReadRow(ctx, key)
}

// Either is built with a table of its own or with the usual one.
type Either struct{ tbl *bigtable.Table }

func NewEither(t *bigtable.Table) *Either { return &Either{tbl: t} }

func (e *Either) Usual(c *bigtable.Client) *Either { e.tbl = c.Open("sessions"); return e }

func (e *Either) OKDump(ctx context.Context, key string) (bigtable.Row, error) {
	return e.tbl.ReadRow(ctx, key)
}
