package nilptrfield

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type options struct {
	ttl *time.Duration
}

func put(ctx context.Context, t *bigtable.Table, o options) error {
	d := time.Hour
	if o.ttl != nil {
		d = *o.ttl
	}
	m := bigtable.NewMutation()
	m.Set("token", "c", bigtable.Time(time.Now().Add(d)), nil)
	return t.Apply(ctx, "k", m)
}

func Good(ctx context.Context, c *bigtable.Client) error {
	return put(ctx, c.Open("sessions"), options{}) // silent
}
