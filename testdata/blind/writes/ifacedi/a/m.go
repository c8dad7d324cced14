package a

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type Box struct{ tbl *bigtable.Table }

func NewBox(c *bigtable.Client) *Box { return &Box{c.Open("mailbox")} }

func (b *Box) Deliver(ctx context.Context, expires time.Time) error {
	m := bigtable.NewMutation()
	m.Set("msg", "x", bigtable.Time(expires), nil)
	return b.tbl.Apply(ctx, "k", m)
}
