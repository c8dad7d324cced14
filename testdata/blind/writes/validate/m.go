package g_validate

import (
	"context"
	"errors"
	"time"

	"cloud.google.com/go/bigtable"
)

func validate(ttl time.Duration) error {
	if ttl <= 0 {
		return errors.New("no lifetime")
	}
	return nil
}

func put(ctx context.Context, t *bigtable.Table, ttl time.Duration) error {
	if err := validate(ttl); err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set("token", "a", bigtable.Time(time.Now().Add(ttl)), nil)
	return t.Apply(ctx, "k", m)
}

func Use(ctx context.Context, c *bigtable.Client) error {
	return put(ctx, c.Open("sessions"), 0) // silent
}
