package setdefaults

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type Config struct{ TTL time.Duration }

func (c *Config) setDefaults() {
	if c.TTL == 0 {
		c.TTL = time.Hour
	}
}

type store struct {
	t   *bigtable.Table
	cfg Config
}

func open(c *bigtable.Client, cfg *Config) *store {
	cfg.setDefaults()
	return &store{c.Open("sessions"), *cfg}
}

func (s *store) put(ctx context.Context) error {
	m := bigtable.NewMutation()
	m.Set("token", "c", bigtable.Time(time.Now().Add(s.cfg.TTL)), nil)
	return s.t.Apply(ctx, "k", m)
}

func Use(ctx context.Context, c *bigtable.Client) error {
	return open(c, &Config{}).put(ctx) // silent
}
