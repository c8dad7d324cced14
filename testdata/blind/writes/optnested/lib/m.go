package lib

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type settings struct {
	ttl time.Duration
}

type Option func(*settings)

func WithTTL(d time.Duration) Option { return func(s *settings) { s.ttl = d } }

type Store struct {
	tbl *bigtable.Table
	cfg settings
}

func New(c *bigtable.Client, opts ...Option) *Store {
	s := &Store{tbl: c.Open("sessions"), cfg: settings{ttl: time.Hour}}
	for _, o := range opts {
		o(&s.cfg)
	}
	return s
}

func (s *Store) Save(ctx context.Context) error {
	m := bigtable.NewMutation()
	m.Set("token", "c", bigtable.Time(time.Now().Add(s.cfg.ttl)), nil)
	return s.tbl.Apply(ctx, "k", m)
}

var _ = time.Now
