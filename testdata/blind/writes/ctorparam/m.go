package ctorparam

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type Config struct{ TTL time.Duration }

type Store struct {
	t   *bigtable.Table
	cfg Config
}

func New(c *bigtable.Client, cfg Config) *Store { return &Store{c.Open("sessions"), cfg} }

func (s *Store) Put(ctx context.Context) error {
	ts := bigtable.ServerTime
	if s.cfg.TTL > 0 {
		ts = bigtable.Time(time.Now().Add(s.cfg.TTL))
	}
	m := bigtable.NewMutation()
	m.Set("token", "a", ts, nil) // want `server-timestamp: .*"token"`
	return s.t.Apply(ctx, "k", m)
}
