// Package edits gives helpers functions that set a cell, which they run on a
// mutation of their own: whose table it is tells which family is meant.
package edits

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type edit func(*bigtable.Mutation)

func put(family, column string, ts bigtable.Timestamp) edit {
	return func(m *bigtable.Mutation) { m.Set(family, column, ts, nil) }
}

func page(ts bigtable.Timestamp) edit { return put("page", "text", ts) }

func change(ctx context.Context, t *bigtable.Table, key string, edits ...edit) error {
	m := bigtable.NewMutation()
	for _, e := range edits {
		e(m)
	}
	return t.Apply(ctx, key, m)
}

func one(ctx context.Context, t *bigtable.Table, key string, e edit) error {
	m := bigtable.NewMutation()
	e(m)
	return t.Apply(ctx, key, m)
}

func variadic(ctx context.Context, c *bigtable.Client) {
	diary, diaries := c.Open("my-diary"), c.Open("diaries")
	_ = change(ctx, diaries, "k", put("page", "a", bigtable.Now()))
	_ = change(ctx, diary, "k", put("page", "a", bigtable.Now())) // want `clock-in-sequence: .*"page" of table "\*-diary"`
	_ = change(ctx, diary, "k", put("page", "a", 1))              // want `unscaled-sequence: .*"page" of table "\*-diary"`
	_ = change(ctx, diary, "k", put("page", "a", 1000))
	_ = change(ctx, diary, "k",
		put("page", "a", 2000),
		put("page", "b", bigtable.ServerTime), // want `clock-in-sequence: .*"page" of table "\*-diary"`
		page(bigtable.Now()),                  // want `clock-in-sequence: .*"page" of table "\*-diary"`
	)
	_ = change(ctx, diaries, "k", page(bigtable.Now()))
}

func single(ctx context.Context, c *bigtable.Client) {
	_ = one(ctx, c.Open("cache"), "k", put("val", "a", bigtable.Now())) // want `write-time: .*"val" of table "cache"`
	_ = one(ctx, c.Open("cache"), "k", put("val", "a", bigtable.Time(time.Now().Add(time.Minute))))
	_ = one(ctx, c.Open("history"), "k", put("val", "a", 5000))
	_ = one(ctx, c.Open("history"), "k", put("val", "a", bigtable.Now())) // want `clock-in-sequence: .*"val" of table "history"`
}

func listed(ctx context.Context, c *bigtable.Client, more bool) {
	var edits []edit
	edits = append(edits, put("page", "a", bigtable.Now())) // want `clock-in-sequence: .*"page" of table "\*-diary"`
	if more {
		edits = append(edits, put("page", "b", 3000))
	}
	_ = change(ctx, c.Open("my-diary"), "k", edits...)
	_ = change(ctx, c.Open("diaries"), "k", []edit{put("page", "a", bigtable.Now())}...)
}

// An op is what is to be done to a row.
type op struct {
	key   string
	edits []edit
	last  edit
}

func run(ctx context.Context, t *bigtable.Table, o op) error {
	m := bigtable.NewMutation()
	for _, e := range o.edits {
		e(m)
	}
	if o.last != nil {
		o.last(m)
	}
	return t.Apply(ctx, o.key, m)
}

func fields(ctx context.Context, c *bigtable.Client) {
	_ = run(ctx, c.Open("my-diary"), op{key: "k", edits: []edit{
		put("page", "a", 1000),
		put("page", "b", bigtable.Now()), // want `clock-in-sequence: .*"page" of table "\*-diary"`
	}})
	_ = run(ctx, c.Open("my-diary"), op{key: "k", last: put("page", "b", bigtable.Now())}) // want `clock-in-sequence: .*"page" of table "\*-diary"`
	_ = run(ctx, c.Open("diaries"), op{key: "k", edits: []edit{put("page", "b", bigtable.Now())}, last: page(bigtable.Now())})
}

// A batch has its table from the start.
type batch struct {
	t    *bigtable.Table
	keys []string
	muts []*bigtable.Mutation
}

func newBatch(t *bigtable.Table) *batch { return &batch{t: t} }

func (b *batch) add(key string, edits ...edit) {
	m := bigtable.NewMutation()
	for _, e := range edits {
		e(m)
	}
	b.keys, b.muts = append(b.keys, key), append(b.muts, m)
}

func (b *batch) flush(ctx context.Context) error {
	_, err := b.t.ApplyBulk(ctx, b.keys, b.muts)
	return err
}

func batched(ctx context.Context, c *bigtable.Client) error {
	b := newBatch(c.Open("my-diary"))
	b.add("k", put("page", "a", bigtable.Now())) // want `clock-in-sequence: .*"page" of table "\*-diary"`
	b.add("k", put("page", "a", 1000))
	return b.flush(ctx)
}

// A store has one table.
type store struct{ t *bigtable.Table }

func (s *store) change(ctx context.Context, key string, edits ...edit) error {
	m := bigtable.NewMutation()
	for _, e := range edits {
		e(m)
	}
	return s.t.Apply(ctx, key, m)
}

func stored(ctx context.Context, c *bigtable.Client) {
	diary, diaries := &store{c.Open("my-diary")}, &store{c.Open("diaries")}
	_ = diary.change(ctx, "k", put("page", "a", bigtable.Now())) // want `clock-in-sequence: .*"page" of table "\*-diary"`
	_ = diaries.change(ctx, "k", put("page", "a", bigtable.Now()))
}

// local runs them itself.
func local(ctx context.Context, c *bigtable.Client, more []edit) {
	edits := append([]edit{
		put("page", "a", 1000),
		put("page", "b", bigtable.Now()), // want `clock-in-sequence: .*"page" of table "\*-diary"`
	}, more...)
	m, n := bigtable.NewMutation(), bigtable.NewMutation()
	for _, e := range edits {
		e(m)
	}
	_ = c.Open("my-diary").Apply(ctx, "k", m)
	put("page", "c", bigtable.Now())(n)
	_ = c.Open("diaries").Apply(ctx, "k", n)
}

// A plan keeps edits until it is carried out.
type plan struct {
	t     *bigtable.Table
	edits []edit
}

func (p *plan) with(e edit) *plan {
	p.edits = append(p.edits, e)
	return p
}

func (p *plan) run(ctx context.Context) error {
	m := bigtable.NewMutation()
	for _, e := range p.edits {
		e(m)
	}
	return p.t.Apply(ctx, "k", m)
}

func planned(ctx context.Context, c *bigtable.Client) error {
	p := &plan{t: c.Open("my-diary")}
	return p.with(put("page", "b", bigtable.Now())).run(ctx) // want `clock-in-sequence: .*"page" of table "\*-diary"`
}

func okPlanned(ctx context.Context, c *bigtable.Client) error {
	p := &plan{t: c.Open("diaries")}
	return p.with(put("page", "b", bigtable.Now())).run(ctx)
}

// okUndeclared writes to a table that nobody declares.
func okUndeclared(ctx context.Context, c *bigtable.Client) error {
	return change(ctx, c.Open("archive"), "k", put("token", "a", bigtable.Now()))
}

// okOpen does not know the table.
func okOpen(ctx context.Context, t *bigtable.Table) error {
	return change(ctx, t, "k", put("page", "a", bigtable.Now()))
}

// inline is wrong where the literal stands.
func inline(ctx context.Context, c *bigtable.Client) {
	_ = change(ctx, c.Open("my-diary"), "k", func(m *bigtable.Mutation) {
		m.Set("page", "a", bigtable.Now(), nil) // want `clock-in-sequence: .*"page" of table "\*-diary"`
	})
	_ = change(ctx, c.Open("diaries"), "k", func(m *bigtable.Mutation) {
		m.Set("page", "a", bigtable.Now(), nil)
	})
}

func touch(m *bigtable.Mutation) { m.Set("val", "touched", bigtable.Now(), nil) } // want `write-time: .*"val" of table "cache"`

func touched(ctx context.Context, c *bigtable.Client) {
	_ = change(ctx, c.Open("cache"), "k", touch)
}
