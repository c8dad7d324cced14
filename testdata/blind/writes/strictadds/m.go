package strictadds

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type row struct {
	ts bigtable.Timestamp
}

func newRow() *row { return &row{ts: bigtable.ServerTime} }

func (r *row) setTS(ts bigtable.Timestamp) { r.ts = ts }

func (r *row) put(m *bigtable.Mutation) { m.Set("token", "c", r.ts, nil) }

func Good(ctx context.Context, t *bigtable.Table) error {
	m := bigtable.NewMutation()
	r := newRow()
	r.setTS(bigtable.Time(time.Now().Add(time.Hour)))
	r.put(m)
	return t.Apply(ctx, "a", m)
}

func Bad(ctx context.Context, t *bigtable.Table) error {
	m := bigtable.NewMutation()
	r := newRow() // want `server-timestamp: .*"token"`
	r.put(m)
	return t.Apply(ctx, "a", m)
}
