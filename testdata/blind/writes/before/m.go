package g_before

import (
	"context"
	"errors"
	"time"

	"cloud.google.com/go/bigtable"
)

func put(ctx context.Context, t *bigtable.Table, expires time.Time) error {
	if expires.Before(time.Now()) {
		return errors.New("expired")
	}
	m := bigtable.NewMutation()
	m.Set("token", "c", bigtable.Time(expires), nil)
	return t.Apply(ctx, "k", m)
}

func put2(ctx context.Context, t *bigtable.Table, expires time.Time) error {
	if !expires.After(time.Now()) {
		expires = time.Now().Add(time.Hour)
	}
	m := bigtable.NewMutation()
	m.Set("token", "c", bigtable.Time(expires), nil)
	return t.Apply(ctx, "k", m)
}

func put3(ctx context.Context, t *bigtable.Table, ts bigtable.Timestamp) error {
	if ts <= bigtable.Now() {
		ts = bigtable.Time(time.Now().Add(time.Hour))
	}
	m := bigtable.NewMutation()
	m.Set("token", "c", ts, nil)
	return t.Apply(ctx, "k", m)
}

func Use(ctx context.Context, c *bigtable.Client) {
	t := c.Open("sessions")
	_ = put(ctx, t, time.Now().Add(-time.Hour)) // silent
	_ = put2(ctx, t, time.Now())                // silent
	_ = put3(ctx, t, 0)                         // silent
}
