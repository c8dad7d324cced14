// Package factory opens tables by factories of which several types exist.
package factory

import (
	"context"
	"log"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/factory/bt"
)

// An Archive is no registered table, whatever its families are called.
type Archive struct{ t *bigtable.Table }

// NewArchive returns it.
func NewArchive(f bt.Factory) *Archive { return &Archive{f.CreateTable("archive")} }

// Store writes to it.
func (a *Archive) Store(ctx context.Context) error {
	m := bigtable.NewMutation()
	m.Set("token", "sku", bigtable.Now(), nil)
	return a.t.Apply(ctx, "r", m)
}

// Sessions is registered.
type Sessions struct{ t *bigtable.Table }

// NewSessions returns it.
func NewSessions(f bt.Factory) *Sessions { return &Sessions{f.CreateTable("sessions")} }

// Dump reads all of it.
func (s *Sessions) Dump(ctx context.Context) (bigtable.Row, error) {
	return s.t.ReadRow(ctx, "r", bigtable.RowFilter(bigtable.LatestNFilter(1))) // want `missing-filter: .*"token" of table "sessions"`
}

// Live reads what lives.
func (s *Sessions) Live(ctx context.Context) (bigtable.Row, error) {
	return s.t.ReadRow(ctx, "r", bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("profile"), bigtable.LatestNFilter(1))))
}

// Cache opens a table with an error.
func Cache(ctx context.Context, f bt.Factory, m *bigtable.Mutation) error {
	t, err := f.Open(ctx, "cache")
	if err != nil {
		return err
	}
	m = bigtable.NewMutation()
	m.Set("val", "a", bigtable.Now(), nil) // want `write-time: .*"val" of table "cache"`
	return t.Apply(ctx, "r", m)
}

// Tenant opens a table whose name its factory makes.
func Tenant(ctx context.Context, f bt.Tenant) error {
	m := bigtable.NewMutation()
	m.Set("val", "a", bigtable.Now(), nil)
	return f.Table("cache").Apply(ctx, "r", m)
}

// opener is an interface of this package.
type opener interface {
	open(name string) *bigtable.Table
}

type direct struct{ c *bigtable.Client }

func (d direct) open(name string) *bigtable.Table { return d.c.Open(name) }

type traced struct{ opener }

func (d traced) open(name string) *bigtable.Table {
	log.Print("open ", name)
	return d.opener.open(name)
}

type cacheStore struct{ o opener }

func (c cacheStore) put(ctx context.Context) error {
	m := bigtable.NewMutation()
	m.Set("val", "a", bigtable.Now(), nil) // want `write-time: .*"val" of table "cache"`
	return c.o.open("cache").Apply(ctx, "r", m)
}

// Put puts by an opener.
func Put(ctx context.Context, c *bigtable.Client, verbose bool) error {
	var o opener = direct{c}
	if verbose {
		o = traced{o}
	}
	return cacheStore{o}.put(ctx)
}

// retrying decorates the other package's factory.
type retrying struct{ bt.Factory }

func (r *retrying) CreateTable(name string) *bigtable.Table {
	log.Print(name)
	return r.Factory.CreateTable(name)
}

// WithRetries returns a factory that tries again.
func WithRetries(f bt.Factory) bt.Factory { return &retrying{f} }
