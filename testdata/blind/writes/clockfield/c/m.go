package c

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type Cache struct {
	tbl *bigtable.Table
	fam string
	now func() time.Time
}

func New(c *bigtable.Client, fam string) *Cache {
	return &Cache{tbl: c.Open("cache"), fam: fam, now: time.Now}
}

func (c *Cache) Set(ctx context.Context, v []byte, ttl time.Duration) error {
	m := bigtable.NewMutation()
	m.Set(c.fam, "v", bigtable.Time(c.now().Add(ttl)), v)
	return c.tbl.Apply(ctx, "k", m)
}
