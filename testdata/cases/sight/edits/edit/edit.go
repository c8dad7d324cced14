// Package edit sets cells by functions.
package edit

import (
	"context"

	"cloud.google.com/go/bigtable"
)

// An Edit changes a mutation.
type Edit func(*bigtable.Mutation)

// Put sets a cell.
func Put(family, column string, ts bigtable.Timestamp) Edit {
	return func(m *bigtable.Mutation) { m.Set(family, column, ts, nil) }
}

// Page sets the text of a page.
func Page(ts bigtable.Timestamp) Edit { return Put("page", "text", ts) }

// Stamp sets a mark with the time of writing.
func Stamp() Edit {
	return func(m *bigtable.Mutation) { m.Set("page", "mark", bigtable.Now(), nil) }
}

// Touch sets a mark with the time of writing.
func Touch(m *bigtable.Mutation) { m.Set("page", "touched", bigtable.Now(), nil) }

// A Cell is an edit with the values in it.
type Cell struct {
	Family, Column string
	At             bigtable.Timestamp
}

// Edit sets the cell.
func (c Cell) Edit(m *bigtable.Mutation) { m.Set(c.Family, c.Column, c.At, nil) }

// An Editor is an edit by its method.
type Editor interface{ Edit(*bigtable.Mutation) }

// Each applies edits to a row.
func Each(ctx context.Context, t *bigtable.Table, key string, edits ...Editor) error {
	m := bigtable.NewMutation()
	for _, e := range edits {
		e.Edit(m)
	}
	return t.Apply(ctx, key, m)
}

// All is several edits.
func All(edits ...Edit) Edit {
	return func(m *bigtable.Mutation) {
		for _, e := range edits {
			e(m)
		}
	}
}

// When is an edit, or none.
func When(on bool, e Edit) Edit {
	if !on {
		return func(*bigtable.Mutation) {}
	}
	return e
}

// Change applies edits to a row.
func Change(ctx context.Context, t *bigtable.Table, key string, edits ...Edit) error {
	m := bigtable.NewMutation()
	for _, e := range edits {
		e(m)
	}
	return t.Apply(ctx, key, m)
}

// One applies an edit to a row.
func One(ctx context.Context, t *bigtable.Table, key string, e Edit) error {
	m := bigtable.NewMutation()
	e(m)
	return t.Apply(ctx, key, m)
}

// An Op is what is to be done to a row.
type Op struct {
	Key   string
	Edits []Edit
}

// Run does what is to be done.
func Run(ctx context.Context, t *bigtable.Table, o Op) error {
	return Change(ctx, t, o.Key, o.Edits...)
}

// A Batch has its table from the start.
type Batch struct {
	t    *bigtable.Table
	keys []string
	muts []*bigtable.Mutation
}

// NewBatch begins.
func NewBatch(t *bigtable.Table) *Batch { return &Batch{t: t} }

// Add changes a row.
func (b *Batch) Add(key string, edits ...Edit) {
	m := bigtable.NewMutation()
	for _, e := range edits {
		e(m)
	}
	b.keys, b.muts = append(b.keys, key), append(b.muts, m)
}

// Flush sends.
func (b *Batch) Flush(ctx context.Context) error {
	_, err := b.t.ApplyBulk(ctx, b.keys, b.muts)
	return err
}

// A Store has one table.
type Store struct{ t *bigtable.Table }

// NewStore returns the store of a table.
func NewStore(t *bigtable.Table) *Store { return &Store{t} }

// Change applies edits to a row.
func (s *Store) Change(ctx context.Context, key string, edits ...Edit) error {
	return Change(ctx, s.t, key, edits...)
}
