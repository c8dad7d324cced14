package lib

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type Option func(*Store)

func WithTTL(d time.Duration) Option { return func(s *Store) { s.ttl = d } }
func WithFamily(f string) Option     { return func(s *Store) { s.family = f } }

type Store struct {
	tbl    *bigtable.Table
	family string
	ttl    time.Duration
}

func New(c *bigtable.Client, opts ...Option) *Store {
	s := &Store{tbl: c.Open("sessions"), family: "token", ttl: time.Hour}
	for _, o := range opts {
		o(s)
	}
	return s
}

func (s *Store) Save(ctx context.Context, v []byte) error {
	m := bigtable.NewMutation()
	m.Set(s.family, "c", bigtable.Time(time.Now().Add(s.ttl)), v)
	return s.tbl.Apply(ctx, "k", m)
}
