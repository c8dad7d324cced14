// Package seed fills tables by their accessors: the type of the accessor alone says
// which table it is.
package seed

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/accessor/model"
)

func put(ctx context.Context, t *model.Diaries, ts bigtable.Timestamp) error {
	m := bigtable.NewMutation()
	m.Set("page", "body", ts, nil)
	return t.Apply(ctx, "k", m)
}

// Put writes the time.
func Put(ctx context.Context, t *model.Diaries) error {
	return put(ctx, t, bigtable.Now()) // want `clock-in-sequence: .*"page" of table "\*-diary"`
}

func okPut(ctx context.Context, t *model.Diaries) error { return put(ctx, t, 7000) }

func archive(ctx context.Context, t *model.Archive, ts bigtable.Timestamp) error {
	m := bigtable.NewMutation()
	m.Set("page", "body", ts, nil)
	return t.Apply(ctx, "k", m)
}

func okArchive(ctx context.Context, t *model.Archive) error {
	return archive(ctx, t, bigtable.Now())
}

// By way of another package's function that fills the mutation.
func fill(ctx context.Context, t *model.Diaries, p *model.Page, ts bigtable.Timestamp) error {
	m := bigtable.NewMutation()
	p.Marshal(m, ts)
	return t.Apply(ctx, "k", m)
}

func filled(ctx context.Context, t *model.Diaries) {
	_ = fill(ctx, t, &model.Page{}, 3000)
	_ = fill(ctx, t, &model.Page{}, bigtable.Now()) // want `clock-in-sequence: .*"page"`
	for n := range 3 {
		_ = fill(ctx, t, &model.Page{}, bigtable.Timestamp(n)) // want `unscaled-sequence: .*"page"`
	}
}

// By way of a helper that applies it.
func apply(ctx context.Context, t *model.Diaries, m *bigtable.Mutation) error {
	return t.Apply(ctx, "k", m)
}

func helped(ctx context.Context, t *model.Diaries, ts bigtable.Timestamp) error {
	m := bigtable.NewMutation()
	m.Set("page", "body", ts, nil)
	return apply(ctx, t, m)
}

func helps(ctx context.Context, t *model.Diaries) error {
	return helped(ctx, t, bigtable.ServerTime) // want `clock-in-sequence: .*"page"`
}

// Write is called by other packages.
func Write(ctx context.Context, t *model.Diaries, ts bigtable.Timestamp) error {
	m := bigtable.NewMutation()
	m.Set("page", "body", ts, nil)
	return t.Apply(ctx, "k", m)
}

// Keep too.
func Keep(ctx context.Context, t *model.Archive, ts bigtable.Timestamp) error {
	m := bigtable.NewMutation()
	m.Set("page", "body", ts, nil)
	return t.Apply(ctx, "k", m)
}

// Either goes to one of two: which it is, the caller may say by more than the
// timestamp.
func either(ctx context.Context, d *model.Diaries, a *model.Archive, mine bool, ts bigtable.Timestamp) error {
	m := bigtable.NewMutation()
	m.Set("page", "body", ts, nil)
	if mine {
		return d.Apply(ctx, "k", m)
	}
	return a.Apply(ctx, "k", m)
}

func okEither(ctx context.Context, d *model.Diaries, a *model.Archive) error {
	return either(ctx, d, a, false, bigtable.Now())
}

// What is only made here goes where the callers apply it.
func page(ts bigtable.Timestamp) *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.Set("page", "body", ts, nil)
	return m
}

func pages(ctx context.Context, d *model.Diaries, a *model.Archive, tbl *bigtable.Table) {
	_ = d.Apply(ctx, "k", page(4000))
	_ = a.Apply(ctx, "k", page(bigtable.Now()))
	_ = tbl.Apply(ctx, "k", page(bigtable.Now()))
	_ = d.Apply(ctx, "k", page(bigtable.Now())) // want `clock-in-sequence: .*"page"`
}
