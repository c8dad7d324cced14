package loopsame

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func Save(ctx context.Context, c *bigtable.Client, users []string) error {
	t := c.Open("sessions")
	expiry := bigtable.Time(time.Now().Add(time.Hour))
	for _, u := range users {
		m := bigtable.NewMutation()
		if u == "guest" {
			m.Set("token", "jwt", expiry, nil) // silent
			if err := t.Apply(ctx, u, m); err != nil {
				return err
			}
			continue
		}
		m.Set("token", "jwt", expiry, []byte(u)) // silent
		if err := t.Apply(ctx, u, m); err != nil {
			return err
		}
	}
	return nil
}
