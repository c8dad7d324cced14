// Package core has what all stores of a program have in common.
package core

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// Base is a table and its lifetime.
type Base struct {
	table *bigtable.Table
	name  string
	ttl   time.Duration
}

// NewBase returns a value.
func NewBase(c *bigtable.Client, name string) Base {
	return Base{table: c.Open(name), name: name, ttl: time.Hour}
}

// TryBase returns a value, or an error.
func TryBase(c *bigtable.Client, name string) (Base, error) {
	return Base{table: c.Open(name), name: name}, nil
}

// GetTable has a pointer for its receiver, and sets nothing.
func (b *Base) GetTable() *bigtable.Table { return b.table }

// TTL is like it.
func (b *Base) TTL() time.Duration { return b.ttl }

// Table has a value for its receiver.
func (b Base) Table() *bigtable.Table { return b.table }

// Use puts another table in its place.
func (b *Base) Use(t *bigtable.Table) { b.table = t }

// Keep sets something else.
func (b *Base) Keep(ttl time.Duration) { b.ttl = ttl }

// Reset sets it all.
func (b *Base) Reset(o Base) { *b = o }

// Repo reads a table.
type Repo struct {
	table  *bigtable.Table
	filter func() bigtable.Filter
}

// NewRepo is its constructor.
func NewRepo(t *bigtable.Table, f func() bigtable.Filter) *Repo { return &Repo{t, f} }

// Find reads what its filter lets pass.
func (r *Repo) Find(ctx context.Context, id string) (bigtable.Row, error) {
	return r.table.ReadRow(ctx, id, bigtable.RowFilter(r.filter()))
}

// Put writes now.
func Put(ctx context.Context, t *bigtable.Table, family string) error {
	mut := bigtable.NewMutation()
	mut.Set(family, "jwt", bigtable.Now(), nil)
	return t.Apply(ctx, "k", mut)
}
