package ctorfield

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type row struct {
	ts bigtable.Timestamp
}

func newRow() *row { return &row{ts: bigtable.ServerTime} }

func (r *row) put(m *bigtable.Mutation) { m.Set("token", "c", r.ts, nil) }

func D(ctx context.Context, c *bigtable.Client) error {
	m := bigtable.NewMutation()
	r := newRow()
	r.ts = bigtable.Time(time.Now().Add(time.Hour))
	r.put(m) // silent
	return c.Open("sessions").Apply(ctx, "a", m)
}
