// Package storemethod calls methods of stores that are made wrong: what is
// wrong is told where they are made.
package storemethod

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/storemethod/h"
	"example.com/cases/sight/storemethod/shared"
)

type mailer struct {
	tbl   *bigtable.Table
	marks *h.Store
	open  *h.Open
}

func New(c *bigtable.Client) *mailer {
	m := &mailer{tbl: c.Open("sessions")}
	m.marks = h.New(c, "sessions", "token") // want `write-time: .*"token"` `missing-filter: .*"token"`
	m.open = &h.Open{Table: c.Open("sessions"), Family: "token"}
	return m
}

func (m *mailer) Run(ctx context.Context, q chan string) {
	for j := range q {
		_ = m.one(ctx, j)
		_, _ = m.look(ctx, j)
		_ = m.two(ctx, j)
	}
}

func (m *mailer) one(ctx context.Context, key string) error {
	return m.marks.Write(ctx, key, "mark", nil)
}

func (m *mailer) look(ctx context.Context, key string) (bigtable.Row, error) {
	return m.marks.Read(ctx, key)
}

func (m *mailer) two(ctx context.Context, key string) error {
	return m.open.Write(ctx, key, "mark", nil) // want `write-time: .*"token"`
}

// Direct does so in one step.
func (m *mailer) Direct(ctx context.Context, key string) error {
	return m.marks.Write(ctx, key, "mark", nil)
}

type group struct{ inner *mailer }

func newGroup(c *bigtable.Client) *group { return &group{inner: New(c)} }

func (g *group) All(ctx context.Context, keys []string) {
	for _, k := range keys {
		g.deep(ctx, k)
	}
}

func (g *group) deep(ctx context.Context, key string) { _ = g.inner.one(ctx, key) }

type byValue struct{ marks h.Store }

type held struct{ byValue }

func newHeld(c *bigtable.Client) *held {
	return &held{byValue{marks: *h.New(c, "clicks", "event")}} // want `unset-timestamp|write-time|missing-filter`
}

func (b *held) Put(ctx context.Context, key string) error { return b.put(ctx, key) }

func (b *held) put(ctx context.Context, key string) error {
	return b.marks.Write(ctx, key, "mark", nil)
}

func okShared(ctx context.Context, c *bigtable.Client) {
	_ = shared.Codes.Write(ctx, "k", "mark", nil)
	_ = shared.All.Tickets.Write(ctx, "k", "mark", nil)
	_ = shared.NewCodes(c).Write(ctx, "k", "mark", nil)
	s := shared.NewCodes(c)
	_ = s.Write(ctx, "k", "mark", nil)
	_, _ = s.Read(ctx, "k")
}

func notes(ctx context.Context) error {
	return shared.Notes.Write(ctx, "k", "mark", nil) // want `write-time: .*"val"`
}

var own *h.Store

func Setup(c *bigtable.Client) {
	own = h.New(c, "sessions", "token") // want `write-time: .*"token"` `missing-filter: .*"token"`
}

func okOwn(ctx context.Context) error { return putOwn(ctx, "k") }

func putOwn(ctx context.Context, key string) error {
	return own.Write(ctx, key, "mark", nil)
}
