package heldtables

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/heldtables/bt"
)

// The decorator is of the same package.
type logged struct{ bt.Table }

func open(c *bigtable.Client, name string) bt.Table { return &logged{c.Open(name)} }

type Own struct{ tbl bt.Table }

func NewOwn(c *bigtable.Client) *Own { return &Own{tbl: open(c, "cache")} }

func NewOwnDirectly(c *bigtable.Client) *Own { return &Own{tbl: &logged{c.Open("cache")}} }

func (s *Own) Create(ctx context.Context, v string) error {
	m := bigtable.NewMutation()
	m.Set("val", "jwt", bigtable.ServerTime, []byte(v)) // want `server-timestamp: .*"val"`
	return s.tbl.Apply(ctx, "k", m)
}

type OwnServer struct{ own *Own }

func NewOwnServer(o *Own) *OwnServer { return &OwnServer{o} }

func (s *OwnServer) Create(ctx context.Context, v string) error { return s.own.Create(ctx, v) }

// Some of these are of one table, others of another.
type Several struct{ tbl bt.Table }

func NewSeveral(c *bigtable.Client) *Several { return &Several{tbl: open(c, "cache")} }

func NewOthers(c *bigtable.Client) *Several { return &Several{tbl: open(c, "history")} }

func (s *Several) Create(ctx context.Context, v string) error {
	m := bigtable.NewMutation()
	m.Set("val", "n", 5000, []byte(v))
	return s.tbl.Apply(ctx, "k", m)
}

type SeveralServer struct{ several *Several }

func NewSeveralServer(s *Several) *SeveralServer { return &SeveralServer{s} }

func (s *SeveralServer) Create(ctx context.Context, v string) error { return s.several.Create(ctx, v) }
