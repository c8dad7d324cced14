package outbox

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

func (b *box) Plain() { b.buf = append(b.buf, pending{family: "plain"}) }
func (b *box) Good()  { b.buf = append(b.buf, pending{family: "hot", ttl: time.Minute}) }
func (b *box) Bad()   { b.buf = append(b.buf, pending{family: "hot"}) } // not seen

func (b *box) Flush(ctx context.Context) error {
	m := bigtable.NewMutation()
	for _, p := range b.buf {
		m.Set(p.family, "v", bigtable.Time(time.Now().Add(p.ttl)), nil) // want `write-time: .*"hot"`
	}
	return b.tbl.Apply(ctx, "k", m)
}
