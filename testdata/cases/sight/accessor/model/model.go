// Package model has accessors of tables, as generators write them.
package model

import (
	"context"

	"cloud.google.com/go/bigtable"
)

// Diaries keeps the pages of one diary.
type Diaries struct{ tbl *bigtable.Table }

// NewDiaries opens it.
func NewDiaries(c *bigtable.Client) *Diaries { return &Diaries{tbl: c.Open("my-diary")} }

// Apply writes.
func (t *Diaries) Apply(ctx context.Context, key string, m *bigtable.Mutation) error {
	return t.tbl.Apply(ctx, key, m)
}

// Archive keeps the pages of all.
type Archive struct{ tbl *bigtable.Table }

// NewArchive opens it.
func NewArchive(c *bigtable.Client) *Archive { return &Archive{tbl: c.Open("diaries")} }

// Apply writes.
func (t *Archive) Apply(ctx context.Context, key string, m *bigtable.Mutation) error {
	return t.tbl.Apply(ctx, key, m)
}

// Page is what both keep.
type Page struct{ Body string }

// Marshal adds a page to a mutation.
func (p *Page) Marshal(m *bigtable.Mutation, ts bigtable.Timestamp) {
	m.Set("page", "body", ts, []byte(p.Body))
}
