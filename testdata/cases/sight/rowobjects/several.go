package rowobjects

import (
	"context"

	"cloud.google.com/go/bigtable"
)

// Embedded.
type profile struct {
	bigtable.Row
	name string
}

func (p profile) count() int { return len(p.Row["profile"]) }

func (p profile) all() int { return p.count() + len(p.Row["token"]) }

func okEmbedded(ctx context.Context, c *bigtable.Client) int {
	row, _ := c.Open("sessions").ReadRow(ctx, "k")
	return profile{row, "a"}.count()
}

func embedded(ctx context.Context, c *bigtable.Client) int {
	row, _ := c.Open("sessions").ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	return profile{row, "a"}.all()
}

// An object in an object.
type page struct {
	view *view
	next string
}

func (p *page) profiles() int { return p.view.count("profile") }

func (p *page) tokens() int { return p.view.count("token") }

func okInner(ctx context.Context, c *bigtable.Client) int {
	row, _ := c.Open("sessions").ReadRow(ctx, "k")
	p := &page{view: &view{row: row}}
	return p.profiles()
}

func inner(ctx context.Context, c *bigtable.Client) int {
	row, _ := c.Open("sessions").ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	p := &page{view: &view{row: row}}
	return p.tokens()
}

// Lists of rows.
type batch struct{ rows []bigtable.Row }

func (b *batch) add(r bigtable.Row) bool {
	b.rows = append(b.rows, r)
	return true
}

func (b *batch) count(family string) (n int) {
	for _, r := range b.rows {
		n += len(r[family])
	}
	return n
}

func okBatch(ctx context.Context, c *bigtable.Client) int {
	var b batch
	_ = c.Open("sessions").ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool {
		b.rows = append(b.rows, r)
		return true
	})
	return b.count("profile")
}

func okAdded(ctx context.Context, c *bigtable.Client) int {
	b := &batch{}
	_ = c.Open("sessions").ReadRows(ctx, bigtable.InfiniteRange(""), b.add)
	return b.count("profile")
}

func added(ctx context.Context, c *bigtable.Client) int {
	b := &batch{}
	_ = c.Open("sessions").ReadRows(ctx, bigtable.InfiniteRange(""), b.add) // want `missing-filter: .*"token"`
	return b.count("token")
}

// The object reads by itself, and keeps what it has read.
type session struct {
	tbl *bigtable.Table
	row bigtable.Row
}

func (s *session) okLoad(ctx context.Context) (err error) {
	s.row, err = s.tbl.ReadRow(ctx, "k")
	return err
}

func (s *session) name() int { return len(s.row["profile"]) }

func newSession(c *bigtable.Client) *session { return &session{tbl: c.Open("sessions")} }

type login struct {
	tbl *bigtable.Table
	row bigtable.Row
}

func (l *login) load(ctx context.Context) (err error) {
	l.row, err = l.tbl.ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	return err
}

func (l *login) token() int { return len(l.row["token"]) }

func newLogin(c *bigtable.Client) *login { return &login{tbl: c.Open("sessions")} }

var _ = []any{okEmbedded, embedded, okInner, inner, okBatch, okAdded, added, (*session).okLoad, (*session).name, newSession, (*login).load, (*login).token, newLogin}
