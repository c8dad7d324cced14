// Package closedhandles has objects that open their table in Init and forget it in Close:
// by way of nil nothing is read or written, so that it is that table.
package closedhandles

import (
	"context"

	"cloud.google.com/go/bigtable"
)

type session struct{ tbl *bigtable.Table }

func (s *session) Init(c *bigtable.Client) { s.tbl = c.Open("history") }

func (s *session) Close() { s.tbl = nil }

type beats struct{ sess *session }

func (b *beats) Init(s *session) { b.sess = s }

func (b *beats) touch(ctx context.Context) error {
	m := bigtable.NewMutation()
	m.Set("val", "c", bigtable.ServerTime, nil) // want `clock-in-sequence: .*"val" of table "history"`
	return b.sess.tbl.Apply(ctx, "k", m)
}

func (b *beats) read(ctx context.Context) ([]byte, error) {
	row, err := b.sess.tbl.ReadRow(ctx, "k") // want `missing-filter: .*"val" of table "history"`
	return row["val"][0].Value, err
}

// One that is opened again as another table may be either.
type switching struct{ tbl *bigtable.Table }

func (s *switching) Init(c *bigtable.Client)  { s.tbl = c.Open("history") }
func (s *switching) Other(c *bigtable.Client) { s.tbl = c.Open("catalog") }
func (s *switching) Close()                   { s.tbl = nil }

type either struct{ in *switching }

func (e *either) Init(s *switching) { e.in = s }

func (e *either) touch(ctx context.Context) error {
	m := bigtable.NewMutation()
	m.Set("val", "c", bigtable.ServerTime, nil)
	return e.in.tbl.Apply(ctx, "k", m)
}

// The wrapper around a table, too.
type wrapper struct{ tbl *bigtable.Table }

type holder struct{ w *wrapper }

func (h *holder) Init(c *bigtable.Client) { h.w = &wrapper{c.Open("history")} }
func (h *holder) Close()                  { h.w = nil }

type user struct{ h *holder }

func (u *user) Init(h *holder) { u.h = h }

func (u *user) touch(ctx context.Context) error {
	m := bigtable.NewMutation()
	m.Set("val", "c", bigtable.ServerTime, nil) // want `clock-in-sequence: .*"val" of table "history"`
	return u.h.w.tbl.Apply(ctx, "k", m)
}
