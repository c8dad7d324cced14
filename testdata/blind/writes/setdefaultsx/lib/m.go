package lib

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type Config struct {
	Family string
	TTL    time.Duration
	Now    func() time.Time
}

func (c *Config) SetDefaults() {
	if c.TTL == 0 {
		c.TTL = time.Hour
	}
	if c.Family == "" {
		c.Family = "token"
	}
	if c.Now == nil {
		c.Now = time.Now
	}
}

type Store struct {
	t   *bigtable.Table
	cfg Config
}

func NewD(c *bigtable.Client, cfg Config) *Store {
	cfg.SetDefaults()
	return &Store{c.Open("sessions"), cfg}
}

func NewP(c *bigtable.Client, cfg *Config) *Store {
	if cfg == nil {
		cfg = &Config{}
	}
	cfg.SetDefaults()
	return &Store{c.Open("sessions"), *cfg}
}

func (s *Store) Put2(ctx context.Context) error {
	m := bigtable.NewMutation()
	m.Set(s.cfg.Family, "c", bigtable.Time(time.Now().Add(s.cfg.TTL)), nil)
	return s.t.Apply(ctx, "k", m)
}
