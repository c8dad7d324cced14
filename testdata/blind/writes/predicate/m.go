package g_predicate

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func expires(family string) bool { return family == "token" }

func put(ctx context.Context, t *bigtable.Table, family string, ts bigtable.Timestamp) error {
	if expires(family) {
		ts = bigtable.Time(time.Now().Add(time.Hour))
	}
	m := bigtable.NewMutation()
	m.Set(family, "a", ts, nil)
	return t.Apply(ctx, "k", m)
}

func Use(ctx context.Context, c *bigtable.Client) error {
	if err := put(ctx, c.Open("sessions"), "profile", bigtable.ServerTime); err != nil {
		return err
	}
	return put(ctx, c.Open("sessions"), "token", bigtable.ServerTime) // silent
}
