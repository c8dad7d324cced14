package nestedsetter

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type row struct {
	fam string
	exp time.Time
}

func (r *row) expire(t time.Time)       { r.exp = t }
func (r *row) keep(d time.Duration)     { r.expire(time.Now().Add(d)) }
func (r *row) put(m *bigtable.Mutation) { m.Set(r.fam, "c", bigtable.Time(r.exp), nil) }

func D(ctx context.Context, c *bigtable.Client) error {
	m := bigtable.NewMutation()
	r := &row{fam: "token"}
	r.keep(time.Hour)
	r.put(m) // silent
	return c.Open("sessions").Apply(ctx, "a", m)
}
