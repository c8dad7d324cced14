package g_mapok

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

var lifetimes = map[string]time.Duration{"token": time.Hour}

func put(ctx context.Context, t *bigtable.Table, family string) error {
	ts := bigtable.ServerTime
	if d, ok := lifetimes[family]; ok {
		ts = bigtable.Time(time.Now().Add(d))
	}
	m := bigtable.NewMutation()
	m.Set(family, "c", ts, nil)
	return t.Apply(ctx, "k", m)
}

func Use(ctx context.Context, c *bigtable.Client) error {
	if err := put(ctx, c.Open("sessions"), "profile"); err != nil {
		return err
	}
	return put(ctx, c.Open("sessions"), "token") // silent
}
