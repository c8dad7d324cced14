// Package neighbours has families by options, by pointers to configurations and by
// embedded stores: what is wrong with them stands in the methods, once.
package neighbours

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func fresh() bigtable.ReadOption {
	return bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("log"), bigtable.TimestampRangeFilter(time.Now().Add(-24*time.Hour), time.Time{})))
}

// Optioned has functional options.
type Optioned struct {
	tbl *bigtable.Table
	fam string
}

type Option func(*Optioned)

func WithFamily(f string) Option { return func(o *Optioned) { o.fam = f } }

func NewOptioned(tbl *bigtable.Table, opts ...Option) *Optioned {
	o := &Optioned{tbl: tbl, fam: "log"}
	for _, opt := range opts {
		opt(o)
	}
	return o
}

func WrapOptioned(c *bigtable.Client, opts ...Option) *Optioned {
	return NewOptioned(c.Open("mixed"), opts...)
}

func (o *Optioned) Keep(ctx context.Context) error {
	m := bigtable.NewMutation()
	m.Set(o.fam, "c", 0, nil) // want `already-expired: .*"log"`
	return o.tbl.Apply(ctx, "k", m)
}

func (o *Optioned) Get(ctx context.Context) (int, error) {
	row, err := o.tbl.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter(o.fam))) // want `missing-filter: .*"log"`
	return len(row[o.fam]), err
}

func (o *Optioned) date(row bigtable.Row) (e struct{ Created time.Time }) {
	e.Created = row[o.fam][0].Timestamp.Time() // want `not-write-time: .*"log"`
	return e
}

func (o *Optioned) Dated(ctx context.Context) (struct{ Created time.Time }, error) {
	row, err := o.tbl.ReadRow(ctx, "k", fresh())
	return o.date(row), err
}

// Pointed has a pointer to options, with a nested struct.
type Names struct{ Family string }
type Config struct{ Names Names }

type Pointed struct {
	tbl *bigtable.Table
	cfg *Config
}

func NewPointed(tbl *bigtable.Table, cfg *Config) (*Pointed, error) {
	if cfg == nil {
		cfg = &Config{Names{"log"}}
	}
	return &Pointed{tbl, cfg}, nil
}

func WrapPointed(c *bigtable.Client, cfg *Config) (*Pointed, error) {
	return NewPointed(c.Open("mixed"), cfg)
}

func (p *Pointed) Keep(ctx context.Context) error {
	m := bigtable.NewMutation()
	m.Set(p.cfg.Names.Family, "c", 0, nil) // want `already-expired: .*"log"`
	return p.tbl.Apply(ctx, "k", m)
}

// Embedded has its store in it.
type Base struct {
	tbl *bigtable.Table
	fam string
}

type Embedded struct{ *Base }

func NewEmbedded(c *bigtable.Client) *Embedded { return &Embedded{&Base{c.Open("mixed"), "log"}} }

func (b *Base) date(row bigtable.Row) (e struct{ Created time.Time }) {
	e.Created = row[b.fam][0].Timestamp.Time() // want `not-write-time: .*"log"`
	return e
}

func (e *Embedded) Dated(ctx context.Context) (struct{ Created time.Time }, error) {
	row, err := e.tbl.ReadRow(ctx, "k", fresh())
	return e.date(row), err
}

// Of several families by one's own constructors, each is told.
type Several struct {
	tbl *bigtable.Table
	fam string
}

func newSeveral(c *bigtable.Client, fam string) *Several { return &Several{c.Open("mixed"), fam} }

func Hot(c *bigtable.Client) *Several { return newSeveral(c, "hot") } // want `missing-filter: .*"hot"` `already-expired: .*"hot"`
func Log(c *bigtable.Client) *Several { return newSeveral(c, "log") } // want `missing-filter: .*"log"` `already-expired: .*"log"`

func (s *Several) Get(ctx context.Context) (int, error) {
	row, err := s.tbl.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter(s.fam)))
	return len(row[s.fam]), err
}

func (s *Several) Keep(ctx context.Context) error {
	m := bigtable.NewMutation()
	m.Set(s.fam, "c", 0, nil)
	return s.tbl.Apply(ctx, "k", m)
}

// Kept has writes only.
type Kept struct {
	tbl *bigtable.Table
	fam string
}

type KeptOption func(*Kept)

func KeptIn(f string) KeptOption { return func(k *Kept) { k.fam = f } }

func NewKept(tbl *bigtable.Table, opts ...KeptOption) *Kept {
	k := &Kept{tbl: tbl, fam: "log"}
	for _, opt := range opts {
		opt(k)
	}
	return k
}

func WrapKept(c *bigtable.Client, opts ...KeptOption) *Kept {
	return NewKept(c.Open("mixed"), opts...)
}

func (k *Kept) Keep(ctx context.Context) error {
	m := bigtable.NewMutation()
	m.Set(k.fam, "c", 0, nil) // want `already-expired: .*"log"`
	return k.tbl.Apply(ctx, "k", m)
}
