package ptrdefaults

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type config struct{ ttl time.Duration }

func defaults() *config { return &config{} }

func put(ctx context.Context, c *bigtable.Client, cfg *config) error {
	m := bigtable.NewMutation()
	m.Set("token", "c", bigtable.Time(time.Now().Add(cfg.ttl)), nil)
	return c.Open("sessions").Apply(ctx, "k", m)
}

func Use(ctx context.Context, c *bigtable.Client) error {
	cfg := defaults()
	cfg.ttl = time.Hour
	return put(ctx, c, cfg) // silent
}
