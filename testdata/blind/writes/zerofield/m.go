package g_zerofield

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type session struct {
	t       *bigtable.Table
	expires time.Time
}

func (s *session) put(ctx context.Context) error {
	if s.expires.IsZero() {
		s.expires = time.Now().Add(time.Hour)
	}
	m := bigtable.NewMutation()
	m.Set("token", "c", bigtable.Time(s.expires), nil)
	return s.t.Apply(ctx, "k", m)
}

func Use(ctx context.Context, c *bigtable.Client) error {
	s := &session{t: c.Open("sessions")}
	return s.put(ctx) // silent
}
