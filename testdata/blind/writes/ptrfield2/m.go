package ptrfield2

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type options struct {
	at *time.Time
}

func put(ctx context.Context, t *bigtable.Table, fam string, v []byte, o options) error {
	ts := bigtable.Time(time.Now().Add(time.Hour))
	if o.at != nil {
		ts = bigtable.Time(*o.at)
	}
	m := bigtable.NewMutation()
	m.Set(fam, "c", ts, v)
	return t.Apply(ctx, "k", m)
}

func Both(ctx context.Context, c *bigtable.Client, v []byte) error {
	now := time.Now()
	if err := put(ctx, c.Open("sessions"), "profile", v, options{at: &now}); err != nil {
		return err
	}
	return put(ctx, c.Open("sessions"), "token", v, options{})
}
