package g_variadic

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func put(ctx context.Context, t *bigtable.Table, ttls ...time.Duration) error {
	ttl := time.Hour
	if len(ttls) > 0 && ttls[0] > 0 {
		ttl = ttls[0]
	}
	m := bigtable.NewMutation()
	m.Set("token", "c", bigtable.Time(time.Now().Add(ttl)), nil)
	return t.Apply(ctx, "k", m)
}

func Use(ctx context.Context, c *bigtable.Client) error {
	return put(ctx, c.Open("sessions"), 0) // silent
}
