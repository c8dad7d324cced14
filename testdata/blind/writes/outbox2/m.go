package outbox2

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type pending struct {
	family string
	ttl    time.Duration
}

type box struct {
	tbl *bigtable.Table
	buf []pending
}

func Open(c *bigtable.Client) *box { return &box{tbl: c.Open("mixed")} }

func (b *box) add(p pending) { b.buf = append(b.buf, p) }

func (b *box) Plain() { b.add(pending{family: "plain"}) }
func (b *box) Good()  { b.add(pending{family: "hot", ttl: time.Minute}) }
func (b *box) Bad()   { b.add(pending{family: "hot"}) } // want `write-time: .*"hot"`

func (b *box) Flush(ctx context.Context) error {
	m := bigtable.NewMutation()
	for _, p := range b.buf {
		m.Set(p.family, "v", bigtable.Time(time.Now().Add(p.ttl)), nil)
	}
	return b.tbl.Apply(ctx, "k", m)
}
