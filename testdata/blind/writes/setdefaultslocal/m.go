package setdefaultslocal

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type config struct {
	family string
	ttl    time.Duration
}

func (c *config) setDefaults() {
	if c.ttl == 0 {
		c.ttl = time.Hour
	}
}

type store struct {
	t   *bigtable.Table
	cfg config
}

func newStore(c *bigtable.Client, cfg config) *store { return &store{c.Open("sessions"), cfg} }

func (s *store) put(ctx context.Context) error {
	m := bigtable.NewMutation()
	m.Set(s.cfg.family, "c", bigtable.Time(time.Now().Add(s.cfg.ttl)), nil)
	return s.t.Apply(ctx, "k", m)
}

func Use(ctx context.Context, c *bigtable.Client) error {
	cfg := config{family: "token"}
	cfg.setDefaults()
	return newStore(c, cfg).put(ctx) // silent
}
