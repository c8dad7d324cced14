package g_until

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func put(ctx context.Context, t *bigtable.Table, expires time.Time) error {
	if time.Until(expires) < time.Minute {
		expires = time.Now().Add(time.Minute)
	}
	m := bigtable.NewMutation()
	m.Set("token", "c", bigtable.Time(expires), nil)
	return t.Apply(ctx, "k", m)
}

func Use(ctx context.Context, c *bigtable.Client) error {
	return put(ctx, c.Open("sessions"), time.Time{}) // silent
}
