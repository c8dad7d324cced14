package a

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
	"example.com/blind/iface/p"
)

type box struct{ tbl *bigtable.Table }

func NewBox(c *bigtable.Client) p.Box { return &box{c.Open("mailbox")} }

func (b *box) Deliver(ctx context.Context, expires time.Time) error {
	m := bigtable.NewMutation()
	m.Set("msg", "x", bigtable.Time(expires), nil)
	return b.tbl.Apply(ctx, "k", m)
}
