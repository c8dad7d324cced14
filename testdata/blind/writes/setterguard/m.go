package g_setterguard

import (
	"context"
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

func (s *store) setTTL(d time.Duration) {
	if d <= 0 {
		return
	}
	s.ttl = d
}

func Use(ctx context.Context, c *bigtable.Client) error {
	s := &store{t: c.Open("sessions"), ttl: time.Hour}
	s.setTTL(0)
	return s.put(ctx) // silent
}
