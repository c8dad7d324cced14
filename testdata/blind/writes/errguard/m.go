package g_errguard

import (
	"context"
	"errors"
	"time"

	"cloud.google.com/go/bigtable"
)

type store struct {
	t   *bigtable.Table
	ttl time.Duration
}

func (s *store) put(ctx context.Context) error {
	m := bigtable.NewMutation()
	m.Set("token", "c", bigtable.Time(time.Now().Add(s.ttl)), nil)
	return s.t.Apply(ctx, "k", m)
}

func open(c *bigtable.Client, ttl time.Duration) (*store, error) {
	if ttl <= 0 {
		return nil, errors.New("no lifetime")
	}
	return &store{c.Open("sessions"), ttl}, nil
}

func Use(ctx context.Context, c *bigtable.Client) error {
	s, err := open(c, 0) // silent
	if err != nil {
		return err
	}
	return s.put(ctx)
}
