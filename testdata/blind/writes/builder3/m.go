package builder3

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type Row struct {
	ts bigtable.Timestamp
	m  *bigtable.Mutation
}

func NewRow() *Row { return &Row{m: bigtable.NewMutation(), ts: bigtable.ServerTime} }

func (r *Row) In(d time.Duration) *Row { return r.At(time.Now().Add(d)) }

func (r *Row) At(t time.Time) *Row { r.ts = bigtable.Time(t); return r }

func (r *Row) Set(fam string, v []byte) *Row {
	r.m.Set(fam, "c", r.ts, v)
	return r
}

func Save(ctx context.Context, c *bigtable.Client, v []byte) error {
	r := NewRow().In(time.Hour).Set("token", v)
	return c.Open("sessions").Apply(ctx, "k", r.m)
}
